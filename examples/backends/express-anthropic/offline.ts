import { playOffline } from '../support/play-offline.ts';
import { startOffline } from './fake-twilio.ts';

await playOffline(startOffline);
