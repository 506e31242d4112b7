import { playOffline } from '../support/play-offline.ts';
import { startFakeVapi } from './fake-vapi.ts';

await playOffline((env) => startFakeVapi({ file: new URL('server.ts', import.meta.url), env }));
