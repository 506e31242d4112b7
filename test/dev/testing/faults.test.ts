import { describe, expect, it, vi } from 'vitest';
import { type FakePlatform, type Fault } from '../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { until } from '../../support/until.ts';
import { makePlatform, type Sent, send } from './contract-suite.ts';

const payment = {
  customer_id: 'cus_1',
  invoice_id: 'inv_1',
  amount: 20,
  payment_method_id: 'pm_1',
  idempotency_key: 'key_1',
};
const pay: Sent = { api: 'billing', method: 'POST', path: '/v1/payments', body: payment };
const getCustomer: Sent = { api: 'billing', method: 'GET', path: '/v1/customers/cus_1' };

/** The answer itself, so that head and body can be looked at apart. */
const fetchPayment = async (platform: FakePlatform): Promise<Response> => {
  const { billing } = await platform.listen();
  return fetch(`${billing}/v1/payments`, {
    method: 'POST',
    headers: { 'x-api-key': 'test-billing-key', 'content-type': 'application/json' },
    body: JSON.stringify(payment),
  });
};
const failPayment = (platform: FakePlatform, ...faults: Fault[]) => platform.fault('billing.payments.create', faults);
const timesPaid = (platform: FakePlatform) => ({
  effects: platform.effects('billing.payments.create'),
  payments: platform.billing.payments.length,
});

describe('a fault', () => {
  it('meets one request, and the next fault the next one', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();
    failPayment(platform, { status: 503 }, { status: 429, retryAfter: 2 }, 'ok');

    const first = await send(baseUrls, pay);
    const second = await send(baseUrls, pay);
    const third = await send(baseUrls, pay);

    expect([first.status, second.status, third.status]).toEqual([503, 429, 201]);
    expect(first.body).toEqual({ error: { code: 'internal_error', message: 'Fault: 503' }, request_id: 'req_1' });
    expect(second.headers.get('retry-after')).toBe('2');
    expect(platform.pendingFaults).toEqual([]);
    expect(timesPaid(platform)).toEqual({ effects: 1, payments: 1 });
  });

  it('leaves other operations alone', async () => {
    await using platform = makePlatform();
    failPayment(platform, { status: 503 });

    const { status } = await send(await platform.listen(), getCustomer);

    expect(status).toBe(200);
    expect(platform.pendingFaults).toEqual([{ status: 503 }]);
  });

  it('meets every operation of an API, as often as it says, after those of the operation', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();
    platform.fault('billing', [{ status: 502, times: 2 }]);
    failPayment(platform, { status: 503 });

    const statuses: number[] = [];
    for (const request of [pay, getCustomer, pay, getCustomer]) statuses.push((await send(baseUrls, request)).status);

    expect(statuses).toEqual([503, 502, 502, 200]);
  });

  it('answers with any body and any headers', async () => {
    await using platform = makePlatform();
    failPayment(platform, { status: 200, body: '<h1>Login</h1>', headers: { 'Content-Type': 'text/html' } });

    const response = await fetchPayment(platform);

    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/html',
      '<h1>Login</h1>',
    ]);
    expect(timesPaid(platform)).toEqual({ effects: 0, payments: 0 });
  });

  it('can add headers to the usual answer', async () => {
    await using platform = makePlatform();
    failPayment(platform, { headers: { Deprecation: '@1767225600' } });

    const { status, headers } = await send(await platform.listen(), pay);

    expect([status, headers.get('deprecation')]).toEqual([201, '@1767225600']);
  });

  it('can do the work and still answer an error', async () => {
    await using platform = makePlatform();
    failPayment(platform, { status: 500, executed: true });

    const { status } = await send(await platform.listen(), pay);

    expect(status).toBe(500);
    expect(timesPaid(platform)).toEqual({ effects: 1, payments: 1 });
  });

  it('can do the work at once and answer late', async () => {
    const clock = createVirtualClock();
    await using platform = makePlatform({});
    failPayment(platform, { latencyMs: 5_000 });
    const answered = vi.fn();
    const answer = fetchPayment(platform).then((response) => answered(response.status));

    await until(() => clock.pendingTimers() === 1);
    await clock.advance(4_999);
    const before = { calls: answered.mock.calls.length, timers: clock.pendingTimers(), paid: timesPaid(platform) };
    await clock.advance(1);
    await answer;

    expect(before).toEqual({ calls: 0, timers: 1, paid: { effects: 1, payments: 1 } });
    expect(answered.mock.calls).toEqual([[201]]);
  });

  it('can reset the connection before the headers, with nothing done', async () => {
    await using platform = makePlatform();
    failPayment(platform, { reset: 'before-headers' });

    await expect(fetchPayment(platform)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });

    expect(timesPaid(platform)).toEqual({ effects: 0, payments: 0 });
    expect(platform.requests.map(({ status }) => status)).toEqual([undefined]);
  });

  it('can reset the connection after the headers, with the work done', async () => {
    await using platform = makePlatform();
    failPayment(platform, { reset: 'after-headers' });

    const response = await fetchPayment(platform);

    expect(response.status).toBe(201);
    // Node 22 takes the reset for the end of the connection.
    const code = expect.stringMatching(/^(?:ECONNRESET|UND_ERR_SOCKET)$/) as string;
    await expect(response.text()).rejects.toMatchObject({ message: 'terminated', cause: { code } });
    expect(timesPaid(platform)).toEqual({ effects: 1, payments: 1 });
  });

  it('can end the body in the middle, with the work done', async () => {
    await using platform = makePlatform();
    failPayment(platform, { truncate: true });

    const response = await fetchPayment(platform);

    expect(response.status).toBe(201);
    await expect(response.text()).rejects.toMatchObject({
      message: 'terminated',
      cause: { message: 'other side closed' },
    });
    expect(timesPaid(platform)).toEqual({ effects: 1, payments: 1 });
  });

  it('can fall silent before the headers, until the platform closes', async () => {
    await using platform = makePlatform();
    failPayment(platform, { stall: 'headers' });
    const answered = vi.fn();
    const answer = fetchPayment(platform).finally(answered);
    const refusal = expect(answer).rejects.toMatchObject({ message: 'fetch failed' });

    await vi.waitUntil(() => platform.requests.length === 1);
    // Another request makes the whole way while this one waits.
    expect((await send(await platform.listen(), getCustomer)).status).toBe(200);
    expect(answered).not.toHaveBeenCalled();
    await platform.close();

    await refusal;
    expect(timesPaid(platform)).toEqual({ effects: 0, payments: 0 });
  });

  it('can fall silent in the body, until the platform closes', async () => {
    await using platform = makePlatform();
    failPayment(platform, { stall: 'body' });
    const response = await fetchPayment(platform);
    const ended = vi.fn();
    const text = response.text().finally(ended);
    const refusal = expect(text).rejects.toMatchObject({ message: 'terminated' });

    expect((await send(await platform.listen(), getCustomer)).status).toBe(200);
    expect([response.status, ended.mock.calls.length]).toEqual([201, 0]);
    await platform.close();

    await refusal;
    expect(timesPaid(platform)).toEqual({ effects: 1, payments: 1 });
  });

  it('can do the work and drop the answer; the same key then gives the answer and pays nothing', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();
    failPayment(platform, { executeThenDrop: true });

    await expect(send(baseUrls, pay)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    const again = await send(baseUrls, pay);

    expect(again).toMatchObject({ status: 201, body: { id: 'payment_1', status: 'completed' } });
    expect(timesPaid(platform)).toEqual({ effects: 1, payments: 1 });
    expect(platform.requests.map(({ status, executed, replayed }) => [status, executed, replayed])).toEqual([
      [undefined, true, false],
      [201, false, true],
    ]);
  });

  it('can refuse a credential until another one comes', async () => {
    await using platform = makePlatform({ billing: { credentials: ['first', 'second'] } });
    const baseUrls = await platform.listen();
    failPayment(platform, { unauthorizedUntilOtherCredential: true });
    const payWith = async (key: string) => (await send(baseUrls, { ...pay, headers: { 'x-api-key': key } })).status;

    const statuses = [await payWith('first'), await payWith('first'), await payWith('second'), await payWith('first')];

    expect(statuses).toEqual([401, 401, 201, 201]);
  });

  it.each<[fault: unknown, problem: string]>([
    [{ stal: 'headers' }, 'There is no fault stal'],
    [{ stall: 'head' }, 'The fault stall cannot be head'],
    [{ status: 99 }, 'The fault status cannot be 99'],
    [{ status: 503, times: 0 }, 'The fault times cannot be 0'],
    ['down', "A fault is 'ok' or an object"],
  ])('is refused when it is not one: %j', async (fault, problem) => {
    await using platform = makePlatform();

    // A caller in JavaScript, or a file, can say anything.
    expect(() => platform.fault('billing.payments.create', [fault as 'ok'])).toThrow(problem);
    expect(platform.pendingFaults).toEqual([]);
  });

  it('is refused for an operation that does not exist', async () => {
    await using platform = makePlatform();

    // A caller in JavaScript can name anything.
    expect(() => platform.fault('billing.payments.steal' as 'billing', ['ok'])).toThrow(
      'There is no operation billing.payments.steal',
    );
  });
});
