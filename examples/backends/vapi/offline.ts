import { playOffline } from '../support/play-offline.ts';
import { startOffline } from './fake-vapi.ts';

await playOffline(startOffline);
