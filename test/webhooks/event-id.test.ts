import { describe, expect, it } from 'vitest';
import type { MessageQueue } from '../../src/stores/ports/message-queue.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { until } from '../support/until.ts';
import { delivery, makeReceiver, payment, seen } from './receiver-parts.ts';

const minuteMs = 60_000;

/** Deliveries of one record whose states come and go; nothing distinguishes the first `shipped` from the last. */
const shipped = () => payment({ status: 'shipped' });
const delayed = () => payment({ status: 'delayed' });
const statuses = (handled: readonly { readonly payload: unknown }[]) =>
  handled.map(({ payload }) => (payload as { status: string }).status);

describe('the id of an event', () => {
  it.each(['Idempotency-Key', 'webhook-id', 'svix-id', 'x-event-id'])(
    'is the header %s, so that an event may repeat a body',
    async (header) => {
      const { receive, handled } = makeReceiver();
      const send = async (body: object, id: string) =>
        (await receive(delivery(body, { headers: { [header]: id } }))).status;

      expect([await send(shipped(), '1'), await send(delayed(), '2'), await send(shipped(), '3')]).toEqual([
        204, 204, 204,
      ]);
      expect(await send(shipped(), '1')).toBe(204);

      expect(statuses(handled)).toEqual(['shipped', 'delayed', 'shipped']);
      expect(handled.map(({ id }) => id)).toEqual(['1', '2', '3']);
    },
  );

  it('is the hash of the body for five minutes where nothing else says it', async () => {
    const { receive, handled, clock } = makeReceiver();

    await receive(delivery(shipped()));
    await receive(delivery(shipped()));
    await clock.advance(3 * minuteMs);
    await receive(delivery(delayed()));
    await receive(delivery(shipped()));
    expect(statuses(handled)).toEqual(['shipped', 'delayed']);

    await clock.advance(10 * minuteMs);
    await receive(delivery(shipped()));
    expect(statuses(handled)).toEqual(['shipped', 'delayed', 'shipped']);
  });

  it('is the hash for five minutes with a queue too, which remembers its messages for longer', async () => {
    const messages = createMemoryMessageQueue();
    const { receive, handled, clock } = makeReceiver({ queue: messages });
    const worker = receive.startWorker();

    await receive(delivery(shipped()));
    await until(() => handled.length === 1);
    await receive(delivery(shipped()));
    await clock.advance(11 * minuteMs);
    await receive(delivery(shipped()));
    await until(() => handled.length === 2);

    await worker.close(0);
    await messages.close(0);
    expect(statuses(handled)).toEqual(['shipped', 'shipped']);
  });

  it('is stored once in the queue when the process dies before it remembers that', async () => {
    const messages = createMemoryMessageQueue();
    const ids: string[] = [];
    const dying: MessageQueue = {
      ...messages,
      enqueue: async (batch) => {
        await messages.enqueue(batch);
        ids.push(...batch.map(({ id }) => id));
        throw new Error('killed');
      },
    };
    const { receive } = makeReceiver({ queue: dying });

    await receive(delivery(shipped()));
    await receive(delivery(shipped()));

    expect(new Set(ids).size).toBe(1);
    expect((await messages.admin.stats()).ready).toBe(1);
    await messages.close(0);
  });

  it.each<[string, object, object]>([
    ['an attempt counter', { attempt: 1 }, { attempt: 2 }],
    ['a counter in other letters', { retryCount: 0 }, { retryCount: 3 }],
    ['a fresh time', { timestamp: 1_767_225_600 }, { timestamp: 1_767_225_630 }],
    ['a fresh time of sending', { sent_at: '2026-01-01T00:00:00Z' }, { sent_at: '2026-01-01T00:00:30Z' }],
    ['a counter in an object', { meta: { delivery_attempt: 1 } }, { meta: { delivery_attempt: 2 } }],
    ['a counter that was not there at first', {}, { attempts: 2, redelivered: true }],
  ])('gets the stored answer when its key comes again with %s', async (_name, first, again) => {
    const { receive, handled } = makeReceiver({ handler: () => ({ seen: true }) });
    const headers = { 'idempotency-key': 'order-7:shipped' };

    const answers = [
      await seen(await receive(delivery(payment(first), { headers }))),
      await seen(await receive(delivery(payment(again), { headers }))),
    ];

    expect(answers).toEqual([
      { status: 200, body: { seen: true } },
      { status: 200, body: { seen: true } },
    ]);
    expect(handled).toHaveLength(1);
  });

  it('is refused when a header repeats it for another event, since no signature covers the header', async () => {
    const { receive, handled, told } = makeReceiver();
    const headers = { 'idempotency-key': 'order-7:shipped' };

    const answers = [
      await seen(await receive(delivery(shipped(), { headers }))),
      await seen(await receive(delivery(delayed(), { headers }))),
      await seen(await receive(delivery(shipped(), { headers }))),
    ];

    expect(answers).toEqual([{ status: 204 }, { status: 409, body: { error: 'conflict' } }, { status: 204 }]);
    expect(statuses(handled)).toEqual(['shipped']);
    expect(told.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['handled', undefined],
      ['refused', 'id_of_another_event'],
      ['replayed', undefined],
    ]);
  });

  it('comes from the body before any header, since the body is signed', async () => {
    const { receive, handled } = makeReceiver({
      eventId: ({ payload }) => (payload as { payment_id: string }).payment_id,
    });

    await receive(delivery(payment({ attempt: 1 }), { headers: { 'idempotency-key': 'a' } }));
    await receive(delivery(payment({ attempt: 2 }), { headers: { 'idempotency-key': 'b' } }));

    expect(handled.map(({ id }) => id)).toEqual(['pay_1']);
  });

  it('is a hash where the header is too long for a key', async () => {
    const { receive, handled } = makeReceiver();

    await receive(delivery(shipped(), { headers: { 'idempotency-key': 'x'.repeat(256) } }));

    expect(handled.map(({ id }) => id)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });
});
