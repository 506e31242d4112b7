import { expect, it } from 'vitest';
import { answer, startFaultServer } from '../support/fault-server.ts';
import { callCompleted, openOutbox } from '../support/open-outbox.ts';
import { until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

it('a clock that is set back hides no destination that keeps failing, and no time an attempt took', async () => {
  await using server = await startFaultServer(answer({ status: 503 }));
  const clock = createVirtualClock();
  await using under = openOutbox({
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

it('a clock that is set back neither stalls the next attempt nor hides how old a message is', async () => {
  await using server = await startFaultServer(answer({ status: 503 }), answer({ status: 204 }));
  const clock = createVirtualClock();
  await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1 }] });
  const { outbox, events } = under;
  const deliveries = () => events.filter((event) => event.type === 'delivery');

  await outbox.publish({ event: callCompleted, payload: { callId: 'CA1' }, idempotencyKey: 'one' });
  await until(() => deliveries().length === 1);
  clock.stepWall(-3_600_000);
  const before = (await outbox.status()).crm;
  await clock.advance(900);
  const after = (await outbox.status()).crm;

  expect([before, after]).toMatchObject([{ delayed: 1 }, { delayed: 1 }]);
  expect((after?.oldestAgeMs ?? 0) - (before?.oldestAgeMs ?? 0)).toBe(900);
  await clock.advance(1_000);
  await until(() => deliveries().length === 2);
  expect(deliveries().map(({ outcome }) => outcome)).toEqual(['retry', 'delivered']);
});
