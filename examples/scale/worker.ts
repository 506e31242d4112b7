/** Delivers until it gets SIGTERM; then waits until running deliveries end. */
import { openOutbox } from './outbox.ts';

const outbox = openOutbox({ deliver: true });
process.once('SIGTERM', () => void outbox.close().then(() => process.exit()));
