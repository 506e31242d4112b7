import { describe, expect, it } from 'vitest';
import { createOutbox } from '../../src/outbox/outbox.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';
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

  it.each([
    ['delaysMs', { delaysMs: [-1] }],
    ['delaysMs', { delaysMs: [8 * 86_400_000] }],
    ['leaseMs', { leaseMs: 10_000 }],
  ])('refuses %s that cannot work: %o', (field, options) => {
    const destinations = [{ name: 'crm', url: 'https://crm.example', version: 1 }];

    expect(() => createOutbox({ queue: createMemoryMessageQueue(), destinations, ...options })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', field }),
    );
  });
});
