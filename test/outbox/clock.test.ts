import { expect, it } from 'vitest';
import { answer, startFaultServer } from '../support/fault-server.ts';
import { callCompleted, openOutbox } from '../support/open-outbox.ts';
import { until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

it('a clock that is set back hides no destination that keeps failing, and no time an attempt took', async () => {
  await using server = await startFaultServer(answer({ status: 503 }));
  const clock = createVirtualClock();
  await using under = openOutbox({
    clock,
    destinations: [{ name: 'crm', url: server.origin, version: 1, circuit: false, disableAfterMs: 10_000 }],
  });
  const { outbox, events, alerts } = under;
  const deliveries = () => events.filter((event) => event.type === 'delivery');
  const publish = (idempotencyKey: string) =>
    outbox.publish({ event: callCompleted, payload: { callId: 'CA1' }, idempotencyKey });

  await publish('one');
  await until(() => deliveries().length === 1);
  clock.stepWall(-3_600_000);
  await clock.advance(10_000);
  await publish('two');
  await until(() => alerts.length > 0);

  expect(alerts).toEqual([{ type: 'destination-disabled', destination: 'crm', reason: 'failing' }]);
  for (const { durationMs, retryInMs } of deliveries()) {
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(retryInMs).toBeGreaterThan(0);
  }
});
