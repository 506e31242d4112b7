import { playOffline } from '../support/play-offline.ts';
import { startOffline } from './fake-platform.ts';

await playOffline(startOffline);
