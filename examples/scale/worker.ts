/** Delivers until it is told to end; then lets what is under way come to its end. */
import { openOutbox } from './outbox.ts';

const outbox = openOutbox({ deliver: true });
process.once('SIGTERM', () => void outbox.close().then(() => process.exit()));
