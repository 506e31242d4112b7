import { afterEach, describe, expect, test } from 'vitest';
import { apiKey } from '../../src/auth/index.ts';
import { createIntegration } from '../../src/index.ts';
import { StoreError } from '../../src/core/errors.ts';
import type { IdempotencyStore } from '../../src/stores/ports/idempotency-store.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import {
  answer,
  type FaultServer,
  held,
  type Reply,
  resetBeforeAnswer,
  startFaultServer,
} from '../support/fault-server.ts';

let server: FaultServer | undefined;
afterEach(() => server?.[Symbol.asyncDispose]());

const json = (status: number, body: object) => answer({ status, body: JSON.stringify(body) });
const completed = json(200, { status: 'completed', confirmation_number: 'C-1', secret_note: 'of the API' });
const declined = json(200, { status: 'declined', error_message: 'No funds' });
const unknown = { success: false, outcome: 'unknown' };
const paid = { success: true, confirmationNumber: 'C-1' };
const input = { customerId: 'c', invoiceId: 'i', amount: 20, paymentMethodId: 'p' };

/** Processes that share a store; `take` is what one of them does in the phone call CA1. */
const start = async (
  replies: readonly [Reply, ...Reply[]],
  store: IdempotencyStore = createMemoryIdempotencyStore(),
) => {
  const { origin } = (server = await startFaultServer(...replies));
  const errors: unknown[] = [];
  const process = () => {
    const integration = createIntegration({
      billing: {
        baseUrl: origin,
        authenticate: apiKey('X-Key', () => 'k'),
        version: { path: 'v1' },
        attempts: 1,
        circuit: false,
      },
      payments: { below: 5_000, confirm: false },
      store,
      onError: (error) => errors.push(error),
    });
    return (options = {}, more = {}) =>
      integration.startPhoneCall({ callId: 'CA1', direction: 'inbound' }).takePayment({ ...input, ...more }, options);
  };
  return { process, errors, store, server };
};

test.each([400, 401, 402, 404, 409, 422, 429, 500])(
  'a repetition in another process, answered %i, says nothing',
  async (status) => {
    const { process } = await start([resetBeforeAnswer, json(status, {}), json(status, {}), completed]);
    const [one, two, three] = [process(), process(), process()];
    expect(await one()).toMatchObject(unknown);
    expect(await two()).toMatchObject(unknown);
    expect(await one()).toMatchObject(unknown);
    expect(await three()).toMatchObject(paid);
  },
);

test.each([
  ['made', completed, paid],
  ['declined', declined, { success: false, outcome: 'rejected', error: 'No funds' }],
])('what another process knows as %s is reported when the API fails', async (_end, reply, told) => {
  const { process } = await start([reply, json(400, {}), resetBeforeAnswer]);
  const first = await process()();
  const later = [await process()(), await process()()];
  expect(later).toMatchObject([told, told]);
  const statuses = [first, ...later].map(({ payment }) => payment?.status);
  expect(new Set(statuses).size).toBe(1);
  // Nothing is stored of what the API says besides.
  expect(later.map(({ payment }) => payment?.['secret_note'])).toEqual([undefined, undefined]);
});

test('a first refusal is one, in every process, until the payment is made', async () => {
  const { process } = await start([json(422, {}), json(422, {}), completed]);
  await expect(process()()).rejects.toMatchObject({ code: 'client_error', outcome: 'rejected' });
  await expect(process()()).rejects.toMatchObject({ code: 'client_error', outcome: 'rejected' });
  expect(await process()()).toMatchObject(paid);
});

test('a process that was killed while it paid leaves the payment unknown', async () => {
  const clock = createVirtualClock();
  const { reply } = held();
  const { process, server } = await start([reply, json(400, {}), completed]);
  void process()({ deadline: 10_000 });
  await server.request(1);
  // In flight in one process, for the process that asks again.
  expect(await process()()).toMatchObject(unknown);
  await clock.advance(9_000);
  expect(await process()()).toMatchObject(paid);
});

test('the end of a payment whose caller had gone is known in every process', async () => {
  const { reply, release } = held({ body: '{"status":"completed","confirmation_number":"C-1"}' });
  const { process, server } = await start([reply, json(400, {})]);
  const caller = new AbortController();
  const late = Promise.withResolvers<unknown>();
  const taken = process()({ signal: caller.signal, onSettled: late.resolve });
  await server.request(1);
  caller.abort();
  expect(await taken).toMatchObject(unknown);
  release();
  expect(await late.promise).toMatchObject(paid);
  expect(await process()()).toMatchObject(paid);
});

test('a store that is down keeps no payment from being made, and makes a refusal unknown', async () => {
  const away = () => Promise.reject(new StoreError('no connection'));
  const store = { ...createMemoryIdempotencyStore(), claim: away, read: away, renew: away, settle: away };
  const { process, errors } = await start([json(422, {}), completed], store);
  expect(await process()()).toMatchObject(unknown);
  expect(await process()()).toMatchObject(paid);
  expect(errors).toEqual([expect.any(StoreError), expect.any(StoreError)]);
});

test('another payment of the phone call is another one', async () => {
  const { process } = await start([resetBeforeAnswer, json(422, {})]);
  await process()();
  await expect(process()({}, { amount: 30 })).rejects.toMatchObject({ outcome: 'rejected' });
});

test('a repetition under the key of another payment leaves the end that is kept', async () => {
  const { process } = await start([completed, json(400, {})]);
  const take = process();
  const own = { idempotencyKey: 'own' };
  expect(await take({}, own)).toMatchObject(paid);
  await expect(take({}, { ...own, amount: 30 })).rejects.toMatchObject({ field: 'idempotencyKey' });
  expect(await process()({}, own)).toMatchObject(paid);
});

describe('a store that never answers after the payment', () => {
  const hanging = () => {
    const memory = createMemoryIdempotencyStore();
    const asked = Promise.withResolvers<void>();
    const settle = () => {
      asked.resolve();
      return new Promise<never>(() => undefined);
    };
    return { store: { ...memory, settle }, asked: asked.promise };
  };

  test('holds back no end', async () => {
    const clock = createVirtualClock();
    const { store, asked } = hanging();
    const { process, errors } = await start([completed], store);
    const taken = process()();
    await asked;
    await clock.advance(10_000);
    expect(await taken).toMatchObject(paid);
    expect(errors).toMatchObject([{ name: 'TimeoutError' }]);
  });

  test('holds back no end that the caller had not waited for', async () => {
    const clock = createVirtualClock();
    const { reply, release } = held({ body: '{"status":"completed","confirmation_number":"C-1"}' });
    const { store, asked } = hanging();
    const { process, server } = await start([reply], store);
    const caller = new AbortController();
    const late = Promise.withResolvers<unknown>();
    const taken = process()({ signal: caller.signal, onSettled: late.resolve });
    await server.request(1);
    caller.abort();
    expect(await taken).toMatchObject(unknown);
    release();
    await asked;
    await clock.advance(10_000);
    expect(await late.promise).toMatchObject(paid);
  });
});
