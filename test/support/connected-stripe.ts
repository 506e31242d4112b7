import { bearer } from '../../src/auth/index.ts';
import { type BillingConnection, createBillingClient } from '../../src/billing/index.ts';
import { stripe, type StripeOptions } from '../../src/billing/stripe/index.ts';
import { createFakePlatform, type FakeStripeOptions, testCredentials } from '../../src/dev/testing/index.ts';

export interface StripeTest {
  /** Options of the preset. */
  readonly preset?: Partial<StripeOptions>;
  /** Options of the fake account. */
  readonly fake?: Omit<FakeStripeOptions, 'dialect'>;
  /** The options of the client; they win. */
  readonly client?: Partial<BillingConnection>;
}

/** The fake account of Stripe on loopback, and a client with the preset that doesn't wait between attempts. */
export const connectStripe = async ({ preset, fake, client }: StripeTest = {}) => {
  const platform = createFakePlatform({ billing: { dialect: 'stripe', searchDelayMs: 0, ...fake } });
  const { billing: url } = await platform.listen();
  const clientOptions: BillingConnection = {
    ...stripe({ currency: 'EUR', ...preset }),
    baseUrl: `${url}/v1`,
    authenticate: bearer(() => testCredentials.billing),
    backoff: { minimumMs: 0, maximumMs: 0 },
    ...client,
  };
  return {
    platform,
    url,
    clientOptions,
    billing: createBillingClient({ ...clientOptions, payments: { below: 5000 } }),
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

/** The same with a customer who owes one invoice. */
export const connectDebtor = async (
  options: StripeTest & { readonly amount?: number; readonly currency?: string } = {},
) => {
  const connected = await connectStripe(options);
  const { platform } = connected;
  const customer = platform.billing.addCustomer({
    id: 'cus_1',
    name: 'Ada',
    phone: '+14155550100',
    email: 'ada@example.com',
  });
  const { amount = 120.5, currency = 'EUR' } = options;
  const invoice = platform.billing.addInvoice({ id: 'in_1', customer_id: customer.id, amount, currency });
  const payment = {
    customer_id: customer.id,
    invoice_id: invoice.id,
    amount: invoice.amount,
    payment_method_id: 'pm_card_visa',
  };
  return { ...connected, customer, invoice, payment };
};

/** Method and path of what was sent, in order. */
export const linesTo = ({ platform }: Pick<Awaited<ReturnType<typeof connectStripe>>, 'platform'>): readonly string[] =>
  platform.requests.map(({ method, path }) => `${method} ${decodeURIComponent(path.replaceAll('+', ' '))}`);
