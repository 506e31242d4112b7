import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { apiKey } from '../../src/auth/index.ts';
import { type BillingConnection, createBillingClient } from '../../src/billing/index.ts';
import { takePayment } from '../../src/phone-call/steps/take-payment.ts';
import { createCrmClient } from '../../src/crm/index.ts';
import { createApiClient } from '../../src/index.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import {
  answer,
  type FaultServer,
  held,
  type Reply,
  resetBeforeAnswer,
  silence,
  startFaultServer,
} from '../support/fault-server.ts';

let server: FaultServer;
afterEach(() => server?.[Symbol.asyncDispose]());

const authenticate = apiKey('X-Key', () => 'k');
const backoff = { minimumMs: 0, maximumMs: 0 };

/** A billing API that gives one reply after the other; each call sends one request unless it says otherwise. */
const connect = async (replies: readonly [Reply, ...Reply[]], more: Partial<BillingConnection> = {}) => {
  server = await startFaultServer(...replies);
  const options = { baseUrl: server.origin, authenticate, circuit: false as const, backoff, attempts: 1 };
  const version = { path: 'v1' };
  const billing = createBillingClient({ ...options, version, payments: { below: 5_000 }, ...more });
  return { billing, options: { ...options, version } };
};

const input = { callId: 'CA1', customerId: 'c', invoiceId: 'i', amount: 20, paymentMethodId: 'p' };
const payment = { customer_id: 'c', invoice_id: 'i', amount: 20, payment_method_id: 'p' };
const json = (status: number, body: unknown) => answer({ status, body: JSON.stringify(body) });
const completed = json(200, { status: 'completed', confirmation_number: 'C-1' });
const unknown = { success: false, outcome: 'unknown' };

const openEnds: readonly (readonly [string, Reply])[] = [
  ['had no answer', resetBeforeAnswer],
  ['is pending', json(200, { status: 'pending' })],
  ['is accepted', json(202, { status: 'processing' })],
  ['was answered in HTML', answer({ status: 200, body: '<h1>Busy</h1>' })],
  ['was answered 408', answer({ status: 408 })],
  ['was answered 425', answer({ status: 425 })],
  ['was answered 423', json(423, { error: 'locked' })],
  ['was answered 409: in progress', json(409, { error: 'A request with this key is in progress' })],
  ['was answered 409: key in use', json(409, { code: 'idempotency_key_in_use' })],
  ['was redirected', answer({ status: 302 })],
  ['was answered 500', answer({ status: 500, body: '{"status":"declined"}' })],
  ['was answered for another invoice', json(200, { status: 'completed', invoice_id: 'other' })],
];

const refusals: readonly (readonly [string, Reply])[] = [
  ...[400, 401, 402, 403, 404, 405, 408, 409, 410, 412, 413, 415, 422, 423, 425, 428, 429, 451, 500, 503].map(
    (status) => [`${status}`, json(status, { error: 'no' })] as const,
  ),
  ['400 in HTML', answer({ status: 400, body: '<h1>Bad request</h1>' })],
  ['400 without a body', answer({ status: 400 })],
  ['402 that says declined', json(402, { status: 'declined', error_message: 'No funds' })],
  ['503 that says declined', json(503, { status: 'declined', error_message: 'No funds' })],
  ['202 without a body', answer({ status: 202 })],
  ['204', answer({ status: 204 })],
  ['303', answer({ status: 303 })],
  ['304', answer({ status: 304 })],
  ['no answer', resetBeforeAnswer],
  ['the record of another amount', json(200, { status: 'declined', amount: 9 })],
  ['the record of another invoice', json(200, { status: 'completed', invoice_id: 'other' })],
];

test.each(openEnds)(
  'after a payment that %s, no refusal of a repetition says that it was not made',
  async (_how, first) => {
    const { billing } = await connect([
      completed,
      ...refusals.flatMap(([, refusal]) => [first, refusal, refusal, completed]),
    ]);
    await billing.payments.create(payment);
    const said: [string, readonly unknown[]][] = [];
    for (const [what] of refusals) {
      const again = () => takePayment({ billing }, { ...input, callId: what.replaceAll(' ', '_') });
      said.push([what, [await again(), await again(), await again(), await again()]]);
    }
    const paid = { success: true, confirmationNumber: 'C-1' };
    expect(said).toMatchObject(refusals.map(([what]) => [what, [unknown, unknown, unknown, paid]]));
  },
);

describe('what this client knows of a payment', () => {
  /** Those are records of the API, and the last one counts. */
  const isRecord = (what: string) => what.startsWith('the record');

  test.each([
    ['made', completed, { success: true, confirmationNumber: 'C-1' }],
    [
      'declined',
      json(200, { status: 'declined', error_message: 'No funds' }),
      { success: false, outcome: 'rejected', error: 'No funds' },
    ],
  ])('stays known after a repetition fails: %s', async (_end, first, told) => {
    const failing = refusals.filter(([what]) => !isRecord(what));
    const { billing } = await connect([first, ...failing.map(([, reply]) => reply)] as [Reply, ...Reply[]]);
    expect(await takePayment({ billing }, input)).toMatchObject(told);
    for (const [what] of failing) expect([what, await takePayment({ billing }, input)]).toMatchObject([what, told]);
    expect(server.requests).toHaveLength(failing.length + 1);
  });

  test('a first refusal is one, and the next try may be made', async () => {
    const refuse = json(409, { error: { code: 'invoice_not_open', message: 'The invoice is paid' } });
    const { billing } = await connect([refuse, refuse, completed]);
    for (let tries = 0; tries < 2; tries += 1)
      await expect(takePayment({ billing }, input)).rejects.toMatchObject({
        code: 'client_error',
        outcome: 'rejected',
      });
    expect(await takePayment({ billing }, input)).toMatchObject({ success: true });
  });

  test('a repetition that is not sent at all says nothing either', async () => {
    const { billing } = await connect([resetBeforeAnswer], { minimumBudgetMs: 1_000 });
    await takePayment({ billing }, input);
    const gone = AbortSignal.abort();
    for (const call of [{ signal: gone }, { deadline: 500 }])
      expect(await takePayment({ billing }, input, call)).toMatchObject(unknown);
    expect(server.requests).toHaveLength(1);
    const other = { ...payment, amount: 30 };
    const used = billing.payments.create(other, {
      idempotencyKey: (await takePayment({ billing }, input)).idempotencyKey,
    });
    await expect(used).rejects.toMatchObject({
      code: 'invalid_argument',
      field: 'idempotencyKey',
      outcome: 'not_sent',
    });
  });

  test('its end is known, even if its caller had gone: refused, then the key is free', async () => {
    const { reply, release } = held({ status: 422, body: '{}' });
    const { billing } = await connect([reply, json(409, {})]);
    const caller = new AbortController();
    const end = Promise.withResolvers<unknown>();
    const taken = takePayment({ billing }, input, { signal: caller.signal, onSettled: end.resolve });
    await server.request(1);
    caller.abort();
    expect(await taken).toMatchObject(unknown);
    release();
    expect(await end.promise).toMatchObject({ success: false, outcome: 'rejected' });
    await expect(takePayment({ billing }, input)).rejects.toMatchObject({ code: 'client_error', outcome: 'rejected' });
  });
});

describe('within one call', () => {
  test.each([408, 409, 423, 425])(
    'a repetition that is answered %i is in progress, and asked again',
    async (status) => {
      const { billing } = await connect([resetBeforeAnswer, json(status, {}), completed], { attempts: 3 });
      expect(await takePayment({ billing }, input)).toMatchObject({ success: true, confirmationNumber: 'C-1' });
      expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    },
  );

  test.each([
    ['the client', { attemptTimeoutMs: 1_000 }, {}],
    ['the request', {}, { attemptTimeoutMs: 1_000 }],
    ['the call alone', {}, { deadline: 1_000 }],
  ])('a payment whose time ended is not sent again: %s set that time', async (_who, ofClient, ofRequest) => {
    const clock = createVirtualClock();
    const { billing } = await connect([silence], { attempts: 3, minimumBudgetMs: 0, ...ofClient });
    const taken = takePayment({ billing }, input, ofRequest);
    await server.request(1);
    await clock.advance(1_000);
    expect(await taken).toMatchObject({ ...unknown, cause: { reason: 'timeout' } });
    expect(server.requests).toHaveLength(1);
  });
});

describe('other writes', () => {
  test('a payment of an API of your own stays unknown too', async () => {
    const { options } = await connect([
      answer({ status: 408 }),
      json(409, {}),
      json(400, {}),
      json(200, { done: true }),
    ]);
    const shop = createApiClient({
      ...options,
      name: 'shop',
      idempotency: 'key',
      endpoints: {
        refund: { method: 'POST', path: '/refunds', body: z.object({ amount: z.number() }), effect: 'payment' },
      },
    });
    const refund = () => shop.refund({ body: { amount: 5 } }, { idempotencyKey: 'k' });
    for (let tries = 0; tries < 3; tries += 1) await expect(refund()).rejects.toMatchObject({ outcome: 'unknown' });
    expect(await refund()).toEqual({ done: true });
  });

  test('without keys it is sent once, and what is known of it is answered again', async () => {
    const { options } = await connect([json(200, { done: true }), answer({ status: 408 })]);
    const shop = createApiClient({
      ...options,
      name: 'shop',
      attempts: 3,
      endpoints: { refund: { method: 'POST', path: '/refunds', effect: 'payment' } },
    });
    const refund = (idempotencyKey: string) => shop.refund({}, { idempotencyKey });
    expect([await refund('a'), await refund('a')]).toEqual([{ done: true }, { done: true }]);
    for (let tries = 0; tries < 2; tries += 1) await expect(refund('b')).rejects.toMatchObject({ outcome: 'unknown' });
    expect(server.requests).toHaveLength(2);
  });

  test('a Task that is answered 408 may have been made, and is not sent again', async () => {
    const { options } = await connect([answer({ status: 408 })]);
    const crm = createCrmClient({ ...options, version: '60.0', attempts: 3 });
    await expect(crm.tasks.create({ Subject: 's' })).rejects.toMatchObject({ outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });

  test('a payment cannot be absent', () => {
    const endpoint = { method: 'POST', path: '/refunds', effect: 'payment', absentOn404: true } as const;
    const make = () => createApiClient({ ...ownApi, endpoints: { refund: endpoint } });
    expect(make).toThrow('endpoints.refund.absentOn404 must be left out for a payment: a 404 is no answer to it');
  });
});

const ownApi = { name: 'shop', baseUrl: 'http://127.0.0.1:1', authenticate, version: 'in-base-url' } as const;
