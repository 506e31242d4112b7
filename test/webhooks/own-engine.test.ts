import { describe, expect, it } from 'vitest';
import { InvalidArgumentError, StoreError } from '../../src/core/errors.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { hmac } from '../../src/webhooks/authentication/hmac.ts';
import type { AcceptedEvent } from '../../src/webhooks/receiver-options.ts';
import { until } from '../support/until.ts';
import { delivery, makeReceiver, payment, secret, seen, type TestOptions } from './receiver-parts.ts';

const authentication = [hmac({ secrets: () => secret, sender: 'billing' })];

/** A receiver whose engine keeps texts, as one in another process does. */
const make = (options: TestOptions = {}) => {
  const engine: string[] = [];
  const store = createMemoryIdempotencyStore({});
  const send = async (event: AcceptedEvent) => engine.push(JSON.stringify(event));
  const receiver = makeReceiver({ authentication, store, send, ...options });
  const sent = () => engine.map((text) => JSON.parse(text) as AcceptedEvent);
  return { store, engine, sent, ...receiver };
};

const received = async (options?: TestOptions) => {
  const made = make(options);
  expect(await seen(await made.receive(delivery()))).toEqual({ status: 202 });
  const [event] = made.sent();
  if (!event) throw new Error('nothing was sent');
  return { ...made, event };
};

const withKey = (headers: Readonly<Record<string, string>>, body: unknown = payment()) => delivery(body, { headers });

describe('a receiver that gives events to an engine of your own', () => {
  it('acknowledges what the engine has; another process handles it', async () => {
    const { store, event, handled, told } = await received();
    const worker = makeReceiver({ authentication, store });

    await worker.receive.handle(event);

    expect(handled).toEqual([]);
    expect(worker.handled).toMatchObject([{ type: 'payment.confirmed', id: event.id, payload: payment() }]);
    expect(worker.contexts).toMatchObject([{ sender: 'billing' }]);
    const outcomes = [...told, ...worker.told].map(({ outcome, status, eventId }) => [outcome, status, eventId]);
    expect(outcomes).toEqual([
      ['queued', 202, event.id],
      ['handled', undefined, event.id],
    ]);
  });

  it('handles an event once, however often it is delivered or a step is repeated', async () => {
    const { receive, sent, event, handled } = await received();

    expect(await seen(await receive(delivery()))).toEqual({ status: 202 });
    await Promise.all([receive.handle(event), receive.handle(event)].map((run) => run.catch(() => {})));
    await receive.handle(event);

    expect([sent().length, handled.length]).toEqual([1, 1]);
  });

  it('acknowledges nothing that the engine refused, and gives it the same key with the next delivery', async () => {
    const keys: string[] = [];
    let failure: (() => Promise<never>) | undefined = () => Promise.reject(new Error('the engine is down'));
    const { receive, errors } = make({
      send: ({ key }) => {
        keys.push(key);
        return failure?.() ?? Promise.resolve();
      },
    });

    const statuses: number[] = [(await receive(delivery())).status];
    failure = () => {
      throw new Error('it throws at once');
    };
    statuses.push((await receive(delivery())).status);
    failure = undefined;
    statuses.push((await receive(delivery())).status);

    expect(statuses).toEqual([503, 503, 202]);
    expect(errors).toEqual([new Error('the engine is down'), new Error('it throws at once')]);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  });

  it('does not wait for an engine that does not answer', async () => {
    const { receive, clock, errors } = make({ send: () => new Promise(() => {}) });
    const answer = receive(delivery());
    await until(() => clock.pendingTimers() > 0);

    await clock.advance(10_000);

    expect((await answer).status).toBe(503);
    expect(errors).toEqual([expect.any(StoreError)]);
    expect(errors[0]).toMatchObject({ outcome: 'unknown', message: expect.stringContaining('send took more than 10') });
  });

  it('a handler that failed runs again, and the engine gets its error', async () => {
    let isDown = true;
    const { receive, event, handled, told } = await received({
      handler: () => {
        if (isDown) throw new Error('the CRM is down');
      },
    });

    await expect(receive.handle(event)).rejects.toEqual(new Error('the CRM is down'));
    isDown = false;
    await receive.handle(event);

    expect(handled).toHaveLength(2);
    expect(told.map(({ outcome }) => outcome)).toEqual(['queued', 'failed', 'handled']);
  });

  it('refuses an event while another worker has it, and takes it from one that died', async () => {
    const { receive, event, handled, clock } = await received({ handler: () => new Promise(() => {}) });
    void receive.handle(event);
    await until(() => handled.length === 1);

    await expect(receive.handle(event)).rejects.toMatchObject({ code: 'store_failed', retryAfterMs: 60_000 });
    await clock.advance(60_001);
    void receive.handle(event);

    await until(() => handled.length === 2);
  });

  it('each event has a key of its own: by receiver, tenant, and id', async () => {
    const keyOf = async (request: Request, options: TestOptions = {}) => {
      const { receive, sent } = make(options);
      await receive(request);
      return sent()[0]?.key;
    };
    const id = { 'idempotency-key': 'ä'.repeat(200) };
    const keys = [
      await keyOf(withKey(id)),
      await keyOf(withKey({ 'idempotency-key': 'other' })),
      await keyOf(withKey(id), { name: 'other' }),
      await keyOf(withKey(id), { tenant: () => 'one' }),
      await keyOf(withKey(id), { tenant: () => 'two' }),
      await keyOf(delivery()),
    ];

    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toEqual(keys.map(() => expect.stringMatching(/^[0-9a-f]{64}$/)));
    expect(await keyOf(withKey(id, payment({ attempt: 2 })))).toBe(keys[0]);
  });
});

describe('what handle refuses', () => {
  it.each<[what: string, change: (event: AcceptedEvent) => unknown]>([
    ['nothing', () => undefined],
    ['the event in an envelope of the engine', (event) => ({ data: event })],
    ['a text', (event) => JSON.stringify(event)],
    ['a list', (event) => [event]],
    ['one without a key', (event) => ({ ...event, key: undefined })],
    ['one with an empty key', (event) => ({ ...event, key: '' })],
    ['one without its source', (event) => ({ ...event, source: undefined })],
    ['a delivery as it came', () => payment()],
  ])('%s', async (_what, change) => {
    const { receive, event, handled } = await received();

    const handling = receive.handle(change(event) as AcceptedEvent);

    await expect(handling).rejects.toMatchObject({ code: 'invalid_argument', field: 'event' });
    expect(handled).toEqual([]);
  });

  it.each<[reason: string, change: (event: AcceptedEvent) => AcceptedEvent]>([
    ['unlisted_event', (event) => ({ ...event, envelope: { ...event.envelope, type: 'gone' } })],
    ['schema', (event) => ({ ...event, envelope: { ...event.envelope, payload: {} } })],
  ])('an event that this receiver has no handler for any more: %s', async (reason, change) => {
    const { receive, event } = await received();

    await expect(receive.handle(change(event))).rejects.toThrow(`event can't be handled by this receiver: ${reason}`);
  });
});

it.each<[problem: string, options: object]>([
  ['send must be a function of the event', { send: 'inngest' }],
  ['send must be left out where there is a queue', { send: async () => {}, queue: createMemoryMessageQueue() }],
])('%s', (problem, options) => {
  expect(() => makeReceiver(options)).toThrow(InvalidArgumentError);
  expect(() => makeReceiver(options)).toThrow(problem);
});
