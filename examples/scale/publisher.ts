/** As the process that talks to people: it stores events and delivers nothing. */
import { callCompleted, openOutbox } from './outbox.ts';

const outbox = openOutbox({ deliver: false });
for (let call = 1; call <= Number(process.env.EVENTS); call += 1) {
  await outbox.publish({
    event: callCompleted,
    payload: { callId: `CA${call}` },
    idempotencyKey: `CA${call}:completed`,
  });
}
await outbox.close();
