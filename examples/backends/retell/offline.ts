import { playOffline } from '../support/play-offline.ts';
import { startOffline } from './fake-retell.ts';

await playOffline(startOffline);
