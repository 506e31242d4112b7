import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { handlers, mswBaseUrls } from '../../../src/dev/testing/msw.ts';
import type { Fault } from '../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { describeAnswers, makePlatform, type Sent, send } from './contract-suite.ts';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

// The platform behind them is the one on sockets: one answer of each kind shows that requests and answers arrive whole.
const kinds = [
  'creates a contact',
  'attaches a tag to a contact',
  'gives a conversation',
  'finds leads by a query',
  'deletes a Lead, and answers nothing',
  'finds a customer by phone',
  'takes a payment',
];

describe('the fake platform as msw handlers', () => {
  describeAnswers(
    async (platform) => {
      server.use(...handlers(platform));
      return mswBaseUrls;
    },
    (name) => kinds.includes(name),
  );
});

const pay: Sent = {
  api: 'billing',
  method: 'POST',
  path: '/v1/payments',
  body: {
    customer_id: 'cus_1',
    invoice_id: 'inv_1',
    amount: 20,
    payment_method_id: 'pm_1',
    idempotency_key: 'key_1',
  },
};

describe('faults in msw', () => {
  it('answer statuses, and lose answers whose work was done or not', async () => {
    const platform = makePlatform();
    server.use(...handlers(platform));
    platform.fault('billing.payments.create', [
      { status: 429, retryAfter: 3 },
      { reset: 'before-headers' },
      { executeThenDrop: true },
    ]);

    const limited = await send(mswBaseUrls, pay);
    await expect(send(mswBaseUrls, pay)).rejects.toThrow('fetch failed');
    const paidAfterReset = platform.billing.payments.length;
    await expect(send(mswBaseUrls, pay)).rejects.toThrow('fetch failed');
    const again = await send(mswBaseUrls, pay);

    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3']);
    expect([paidAfterReset, platform.billing.payments.length]).toEqual([0, 1]);
    expect(again).toMatchObject({ status: 201, body: { id: 'payment_1' } });
  });

  it('answer late on the clock of the platform', async () => {
    const clock = createVirtualClock();
    const platform = makePlatform({});
    server.use(...handlers(platform));
    platform.fault('billing', [{ latencyMs: 60_000 }]);

    const answer = send(mswBaseUrls, pay);
    await expect.poll(() => clock.pendingTimers()).toBe(1);
    await clock.advance(60_000);

    expect((await answer).status).toBe(201);
  });

  it.each<[Fault, string]>([
    [{ reset: 'after-headers' }, 'msw cannot reset a connection after the headers: use platform.listen() for it'],
    [{ stall: 'headers' }, 'msw cannot fall silent within an answer: use platform.listen() for it'],
    [{ truncate: true }, 'msw cannot end an answer in the middle: use platform.listen() for it'],
  ])('are refused when msw cannot act them out: %j', (fault, message) => {
    const platform = makePlatform();
    const early = makePlatform();
    early.fault('billing', [fault]);
    handlers(platform);

    expect(() => platform.fault('billing', ['ok', fault])).toThrow(message);
    expect(() => handlers(early)).toThrow(message);
    expect(platform.pendingFaults).toEqual([]);
  });
});

describe('modes in msw', () => {
  it('answer as over sockets, with the body in one piece', async () => {
    const platform = makePlatform({ billing: { bodies: 'bytes', endpoints: 'documented' } });
    server.use(...handlers(platform));

    const answer = await send(mswBaseUrls, { api: 'billing', method: 'GET', path: '/v1/customers/cus_1' });
    const missing = await send(mswBaseUrls, { api: 'billing', method: 'GET', path: '/v1/refunds' });

    expect([answer.body, missing.status]).toEqual([expect.objectContaining({ id: 'cus_1' }), 404]);
  });
});

describe('addresses in msw', () => {
  it('can be the real ones, with a path', async () => {
    const platform = makePlatform();
    server.use(...handlers(platform, { billing: 'https://api.example.com/billing/' }));

    const { status } = await send({ ...mswBaseUrls, billing: 'https://api.example.com/billing' }, pay);

    expect(status).toBe(201);
    expect(platform.requests[0]?.path).toBe('/v1/payments');
  });

  it('can be those of several platforms at once', async () => {
    const [one, other] = [makePlatform(), makePlatform()];
    server.use(...handlers(one), ...handlers(other, { billing: 'https://other.test' }));

    await send({ ...mswBaseUrls, billing: 'https://other.test' }, pay);

    expect([one.requests.length, other.requests.length]).toEqual([0, 1]);
  });
});
