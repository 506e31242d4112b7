import { expect, onTestFinished, test, vi } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { createBillingClient } from '../../../src/billing/index.ts';
import { stripe } from '../../../src/billing/stripe/index.ts';
import { createTenants } from '../../../src/tenants/create-tenants.ts';
import { testCredentials } from '../../../src/dev/testing/index.ts';
import { connectDebtor, connectStripe } from '../../support/connected-stripe.ts';

test.each<[options: object, field: string]>([
  [{}, 'currency'],
  [{ currency: 'euro' }, 'currency'],
  [{ currency: 'EUR', version: 'latest' }, 'version'],
  [{ currency: 'EUR', account: 'cus_1' }, 'account'],
])('%j is refused', (options, field) => {
  expect(() => stripe(options as { currency: string })).toThrow(expect.objectContaining({ field }) as Error);
});

test('it speaks to Stripe, with the version that is pinned', () => {
  expect(stripe({ currency: 'jpy' })).toMatchObject({
    baseUrl: 'https://api.stripe.com/v1',
    version: { header: { name: 'Stripe-Version', value: '2026-10-28.endive' } },
    currency: 'JPY',
    unit: 'major',
    minorUnits: 0,
    idempotency: 'key',
    rateLimit: { limit: 25, perMs: 1000 },
  });
});

test("it stays within a sandbox's limit, and waits where that has run out all the same", async () => {
  // Half the time of the client's window: requests that are sent a second apart may arrive closer to each other.
  await using connected = await connectStripe({ fake: { rateLimit: { limit: 25, perMs: 500 } } });
  const { platform, clientOptions } = connected;
  platform.billing.addCustomer({ id: 'cus_1' });
  const askOften = async (times: number, options = clientOptions) => {
    const { customers } = createBillingClient(options);
    const found = await Promise.all(Array.from({ length: times }, () => customers.get('cus_1', { deadline: 10_000 })));
    return new Set(found.map((customer) => customer?.id));
  };
  const refusals = () => platform.requests.filter(({ status }) => status === 429).length;

  expect(await askOften(30)).toEqual(new Set(['cus_1']));
  expect(refusals()).toBe(0);
  expect(
    await askOften(30, {
      ...clientOptions,
      rateLimit: false,
      attempts: 10,
      backoff: { minimumMs: 500, maximumMs: 500 },
    }),
  ).toEqual(new Set(['cus_1']));
  expect(refusals()).toBeGreaterThan(0);
});

test.each(['JPY', 'ISK', 'UGX'])('%s have no decimals', async (currency) => {
  await using connected = await connectDebtor({ preset: { currency }, amount: 500, currency });

  await expect(connected.billing.payments.create({ ...connected.payment, amount: 499.5 })).rejects.toMatchObject({
    field: 'amount',
    problem: 'must be a whole number',
  });
});

test('a version that the account does not speak is named in the error', async () => {
  await using connected = await connectStripe({ preset: { version: '2020-08-27' } });

  await expect(connected.billing.customers.get('cus_1')).rejects.toThrow('it does not serve version 2020-08-27');
});

test('each tenant reaches its own connected account, custom requests too', async () => {
  await using connected = await connectStripe({ fake: { account: 'acct_ada' } });
  const { platform, url } = connected;
  platform.billing.addCustomer({ id: 'cus_1' });
  const accounts: Readonly<Record<string, string>> = { ada: 'acct_ada', bo: 'acct_bo' };
  await using tenants = createTenants({
    resolve: (tenant) => ({
      billing: {
        ...stripe({ currency: 'EUR', account: accounts[tenant] ?? '' }),
        baseUrl: `${url}/v1`,
        authenticate: bearer(() => testCredentials.billing),
      },
      payments: { below: 5000, confirm: false },
    }),
  });
  const customerOf = (tenant: string) =>
    tenants
      .use(tenant, ({ billing }) => billing?.customers.get('cus_1'))
      .catch((error: { codes: unknown }) => error.codes);

  expect(await customerOf('ada')).toMatchObject({ id: 'cus_1' });
  expect(await customerOf('bo')).toEqual(['account_invalid']);
  await tenants.use('ada', ({ billing }) =>
    billing.request({ operation: 'billing.customers.list', method: 'GET', path: 'customers', returns: (json) => json }),
  );
  expect(platform.requests.map(({ headers }) => headers['stripe-account'])).toEqual([
    'acct_ada',
    'acct_bo',
    'acct_ada',
  ]);
});

test('without an account no header is sent', async () => {
  await using connected = await connectStripe();
  await connected.billing.customers.get('cus_1');

  expect(connected.platform.requests[0]?.headers).not.toHaveProperty('stripe-account');
  expect(createBillingClient(connected.clientOptions).paymentTerms()).toMatchObject({ currency: 'EUR', minorUnits: 2 });
});

test('it sends 20 searches per second, and a read of one record does not wait behind them', {
  timeout: 10_000,
}, async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sent: string[] = [];
  const customer = { id: 'cus_1', email: 'ada@example.com' };
  const billing = createBillingClient({
    ...stripe({ currency: 'EUR' }),
    authenticate: bearer(() => 'rk_test'),
    payments: { below: 2000 },
    fetch: async (request) => {
      const { pathname } = new URL(new Request(request).url);
      sent.push(pathname);
      return Response.json(pathname.endsWith('/search') ? { data: [customer] } : customer);
    },
  });

  const finds = Promise.all(Array.from({ length: 21 }, () => billing.customers.find({ email: 'ada@example.com' })));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.filter((path) => path.endsWith('/search'))).toHaveLength(20);
  const read = billing.customers.get('cus_1');
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.at(-1)).toBe('/v1/customers/cus_1');

  await vi.advanceTimersByTimeAsync(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toHaveLength(22);
  expect((await finds).length).toBe(21);
  expect(await read).toMatchObject({ id: 'cus_1' });
});
