import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIntegration } from '../../src/integration.ts';
import { inFakeTime, useFakeTime } from '../support/fake-time.ts';
import { optionsAt } from './clients.ts';

beforeEach(useFakeTime);
afterEach(() => void vi.useRealTimers());

interface Answer {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that gives these answers in turn, the last one from then on; `drop` ends the connection instead. */
const answering = async (...answers: readonly (Answer | 'drop')[]) => {
  const times: number[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const answer = answers[Math.min(times.push(performance.now()), answers.length) - 1] ?? 'drop';
    if (answer === 'drop') return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.json === undefined ? '' : JSON.stringify(answer.json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const integration = createIntegration(optionsAt(baseUrl));
  return {
    integration,
    times,
    /** What a model is given by the look-up function of the document. */
    lookUp: () =>
      inFakeTime(
        integration
          .startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: '+14155550100' })
          .tools.run('lookup_customer_invoices', '{}'),
      ),
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const customer = { status: 200, json: { id: 'cus_1', name: 'Ann' } };
const noInvoices = { status: 200, json: [] };

describe('the model is given', () => {
  it.each<[string, Answer, unknown]>([
    [
      'client_error with the body for a 400',
      { status: 400, json: { hint: 'phone is too long' } },
      { error: 'client_error', details: { hint: 'phone is too long' } },
    ],
    [
      'client_error with the body for a 401',
      { status: 401, json: { hint: 'no access' } },
      { error: 'client_error', details: { hint: 'no access' } },
    ],
    [
      'client_error with the body for a 422',
      { status: 422, json: { hint: 'unknown' } },
      { error: 'client_error', details: { hint: 'unknown' } },
    ],
    [
      'client_error with a body that is a text',
      { status: 409, json: 'Busy with it' },
      { error: 'client_error', details: 'Busy with it' },
    ],
    [
      'client_error with at most 300 characters of the body, without personal data',
      { status: 400, json: { message: 'Ask ann@example.com', trace: 'at line 1 '.repeat(80) } },
      { error: 'client_error', details: { message: 'Ask [email]' } },
    ],
    ['customer_not_found when the look-up finds nothing', { status: 404 }, { error: 'customer_not_found' }],
  ])('%s, after one request', async (_name, answer, value) => {
    await using server = await answering(answer);

    const result = await server.lookUp();

    expect(result.value).toEqual(value);
    expect(server.times).toHaveLength(1);
  });

  it('max_retries_exceeded after three attempts that got a 5xx', async () => {
    await using server = await answering({ status: 503 });

    const result = await server.lookUp();

    expect(result.value).toEqual({ error: 'max_retries_exceeded', reason: 'server_error' });
    expect(server.times).toHaveLength(3);
  });
});

describe('a request is repeated', () => {
  it.each<[string, Answer | 'drop']>([
    ['after a network error', 'drop'],
    ['after a 500', { status: 500 }],
    ['after a 503', { status: 503 }],
  ])('%s, with a back-off', async (_name, failure) => {
    await using server = await answering(failure, customer, noInvoices);

    const result = await server.lookUp();

    expect(result.value).toMatchObject({ customer_name: 'Ann', invoice_count: 0 });
    const [first = 0, second = 0] = server.times;
    expect(second - first).toBeGreaterThan(50);
  });

  it('after the seconds that a 429 asks for', async () => {
    await using server = await answering({ status: 429, headers: { 'retry-after': '2' } }, customer, noInvoices);

    await server.lookUp();

    const [first = 0, second = 0] = server.times;
    expect(second - first).toBeGreaterThanOrEqual(1990);
    expect(second - first).toBeLessThan(2200);
  });

  it('after one second when a 429 names none', async () => {
    await using server = await answering({ status: 429 }, customer, noInvoices);

    await server.lookUp();

    const [first = 0, second = 0] = server.times;
    expect(second - first).toBeGreaterThanOrEqual(990);
    expect(second - first).toBeLessThan(1200);
  });
});

describe('what departs from it', () => {
  it('a 429 that asks for more than the call has left ends it at once', async () => {
    await using server = await answering({ status: 429, headers: { 'retry-after': '60' } });

    const result = await server.lookUp();

    expect(result.value).toMatchObject({ error: 'max_retries_exceeded', retry_after_seconds: 60 });
    expect(server.times).toHaveLength(1);
  });

  it('a payment that gets no answer in time is sent once, and its end is unknown', async () => {
    const server = createServer((request) => void request.resume());
    let requests = 0;
    server.on('request', () => (requests += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using integration = createIntegration(optionsAt(baseUrl));
    const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: '+14155550100' });

    const payment = { customerId: 'cus_1', invoiceId: 'inv_1', amount: 20, paymentMethodId: 'pm_1' };
    const result = await inFakeTime(phoneCall.takePayment(payment));
    server.closeAllConnections();
    server.close();

    expect(result).toMatchObject({ success: false, outcome: 'unknown' });
    expect(requests).toBe(1);
  });
});

describe('a call to an API that never answers', () => {
  it('ends within 5 to 10 seconds', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using integration = createIntegration(optionsAt(baseUrl));
    const startedAt = performance.now();

    const search = integration.crm.leads.search({ phone: '+14155550100' });
    await expect(inFakeTime(search)).rejects.toMatchObject({ code: 'max_retries_exceeded' });

    const tookMs = performance.now() - startedAt;
    server.closeAllConnections();
    server.close();
    expect(tookMs).toBeGreaterThan(4900);
    expect(tookMs).toBeLessThan(10_000);
  });
});
