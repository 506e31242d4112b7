import { describe, expect, it } from 'vitest';
import { createOutbox } from '../../src/outbox/outbox.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { createVirtualClock as createFrozenClock } from '../../src/testing/virtual-clock.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { answer, silence, startFaultServer } from '../support/fault-server.ts';
import { callCompleted, openOutbox } from '../support/open-outbox.ts';
import { until } from '../support/until.ts';

const publication = { event: callCompleted, payload: { callId: 'CA1' }, idempotencyKey: 'CA1:completed' };

describe('the schedule of an outbox', () => {
  it('is that of delaysMs, after which a message is a dead letter', async () => {
    await using server = await startFaultServer(answer({ status: 503 }));
    await using under = openOutbox({
      destinations: [{ name: 'crm', url: server.origin, version: 1, circuit: false }],
      delaysMs: [50, 200],
    });
    const { outbox, clock, events } = under;
    const deliveries = () => events.filter((event) => event.type === 'delivery');

    await outbox.publish(publication);
    await until(() => deliveries().length === 1);
    await clock.advance(50);
    await until(() => deliveries().length === 2);
    await clock.advance(200);
    await until(() => deliveries().length === 3);

    expect(deliveries().map(({ outcome, retryInMs }) => [outcome, retryInMs])).toEqual([
      ['retry', 50],
      ['retry', 200],
      ['dead', undefined],
    ]);
    expect(await outbox.deadLetters.list()).toMatchObject([{ attempts: 3, reason: 'attempts_exhausted' }]);
  });

  it('frees a message whose attempt is stuck when leaseMs is over', async () => {
    await using server = await startFaultServer(silence, answer({ status: 204 }));
    const clock = createVirtualClock();
    // The clock of the attempt stands still, as that of a process that is frozen does.
    await using under = openOutbox({
      queue: createMemoryMessageQueue({ clock }),
      destinations: [{ name: 'crm', url: server.origin, version: 1, attemptTimeoutMs: 900 }],
      leaseMs: 1_000,
      clock: createFrozenClock(),
    });

    await under.outbox.publish(publication);
    await server.request(1);
    await clock.advance(999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await server.request(2);
    await until(() => under.events.some((event) => event.type === 'delivery' && event.outcome === 'delivered'));
  });

  it.each([
    ['delaysMs', { delaysMs: [-1] }],
    ['delaysMs', { delaysMs: [Number.NaN] }],
    ['delaysMs', { delaysMs: [8 * 86_400_000] }],
    ['leaseMs', { leaseMs: 10_000 }],
    ['leaseMs', { leaseMs: 0 }],
  ])('refuses %s that cannot work: %o', (field, options) => {
    const destinations = [{ name: 'crm', url: 'https://crm.example', version: 1 }];

    expect(() => createOutbox({ queue: createMemoryMessageQueue(), destinations, ...options })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', field }),
    );
  });
});
