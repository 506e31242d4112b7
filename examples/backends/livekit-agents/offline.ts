import { playOffline } from '../support/play-offline.ts';
import { startOffline } from './fake-console.ts';

await playOffline(startOffline);
