import { afterAll, expect, test } from 'vitest';
import { checksOfBilling } from '../../../src/dev/testing/index.ts';
import { createIntegration, type NotReadyError } from '../../../src/index.ts';
import { ledgerBilling, ledgerClient, startLedger } from '../../support/ledger.ts';

const noCredential = { read: async () => ({ headers: {}, secrets: [] }), renew: async () => undefined };

interface Found {
  readonly problems: readonly string[];
  readonly notes?: readonly string[];
}

test.each<[string, (origin: string) => Parameters<typeof ledgerClient>, Found]>([
  ['an API that works', (origin) => [origin], { problems: [] }],
  ['a wrong address', (origin) => [`${origin}/v9`], { problems: ['the API answers 404 to everything'] }],
  [
    'a credential that is refused',
    (origin) => [origin, { authenticate: noCredential }],
    { problems: ['the credential is refused: 401'] },
  ],
  [
    'an API that is down',
    () => ['http://127.0.0.1:9'],
    { problems: [], notes: expect.arrayContaining(['the API cannot be reached: network']) },
  ],
])('check() of %s', async (_what, change, found) => {
  await using ledger = await startLedger();
  const billing = ledgerBilling(ledgerClient(...change(ledger.origin)));
  await using integration = createIntegration({ billing, payments: { below: 500 } });

  const said = await integration.check().then(
    ({ notes }): Found => ({ problems: [], notes: notes.map(({ problem }) => problem) }),
    ({ problems }: NotReadyError): Found => ({ problems: problems.map(({ problem }) => problem) }),
  );

  expect(said).toMatchObject(found);
  expect(ledger.charges).toEqual([]);
});

test('check() names options of the client that has them', async () => {
  await using ledger = await startLedger();
  const billing = ledgerBilling(ledgerClient(ledger.origin));
  await using integration = createIntegration({ billing });

  expect((await integration.check()).notes.map(({ help }) => help)).toEqual([
    "ledger.rateLimit or ledger.quota: { limit, perMs }, as the API's plan says",
  ]);
});

test('check() names the line of a function that throws, and claims nothing that no request has shown', async () => {
  await using ledger = await startLedger();
  const check = async (functions: Parameters<typeof ledgerBilling>[1]) => {
    const billing = ledgerBilling(ledgerClient(ledger.origin), functions);
    await using integration = createIntegration({ billing, payments: { below: 500 } });
    return integration.check().then(
      () => [],
      ({ problems }: NotReadyError) => problems.map(({ problem }) => problem),
    );
  };
  const throws = async () => {
    throw new TypeError('of Jane');
  };

  expect(await check({ findByPhone: throws })).toEqual([
    expect.stringMatching(/^billingFrom: findByPhone threw a TypeError at checks\.test\.ts:\d+:\d+$/),
  ]);
  ledger.requests.splice(0);
  expect(await check({ findByPhone: async () => [], listOpen: async () => [] })).toEqual([]);
  expect(ledger.requests.filter(({ path }) => path !== '/')).toEqual([]);
});

test.each((await checks()).map(({ name, run }) => [name, run] as const))('the API %s', async (_name, run) => {
  await expect(run()).resolves.toBeUndefined();
});

async function checks() {
  const ledger = await startLedger();
  afterAll(() => ledger[Symbol.asyncDispose]());
  let made = 0;
  return checksOfBilling({
    billing: ledgerBilling(ledgerClient(ledger.origin)),
    customer: { id: 'A-1', phone: '+14155550100', email: 'jane@example.com' },
    openInvoice: () => {
      made += 1;
      ledger.bills.push({ bill_no: `N-${made}`, acct_no: 'A-1', cents_open: 4200, due_on: '2026-10-01' });
      return { id: `N-${made}`, amount: 42 };
    },
    paymentMethodId: 'card_1',
    declinedPaymentMethodId: 'card_poor',
    paymentsOf: (id) => ledger.charges.filter(({ bill }) => bill === id).length,
  });
}
