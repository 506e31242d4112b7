import { playOffline } from '../support/play-offline.ts';
import { startOffline } from './fake-openai.ts';

await playOffline(startOffline);
