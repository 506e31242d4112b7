import { bearer } from '../../auth/secret-credential.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown } from '../../core/option-checks.ts';
import type { Secret } from '../../core/secret.ts';
import type { Credential } from '../../http/credential.ts';
import type { BillingConnection } from '../client.ts';
import type { Customer, Finds } from '../customers.ts';
import { usableDecimalsOf } from './amounts.ts';
import { createFindCustomers } from './customers.ts';
import { stripeHttp } from './http-dialect.ts';
import { createListOpen } from './invoices.ts';
import { createPay } from './payments.ts';
import { createListPayments, createRefundAt } from './refunds.ts';
import { type Given, withoutUndefined } from '../../core/without-undefined.ts';

/** The version of Stripe's API that the preset speaks, as the package `stripe` 23.1.0 does (2026-10-29). */
export const stripeVersion = '2026-10-28.endive';

/** Options of an account of Stripe. */
export interface StripeOptions {
  /** The currency of all payments, such as `EUR`. Invoices in another one are listed, and can't be paid. */
  readonly currency: string;
  /** The pinned version of the API. @defaultValue '2026-10-28.endive' */
  readonly version?: string | undefined;
  /** The connected account that all requests are about, such as `acct_1032D82eZvKYlo2C`. @defaultValue the key's own */
  readonly account?: string | undefined;
  /** Decides which of several customers with one e-mail or phone is meant: the billing client's `choose`. */
  readonly choose?: BillingConnection['choose'] | undefined;
  /** Another address, such as the sandbox's. @defaultValue 'https://api.stripe.com/v1' */
  readonly baseUrl?: string | undefined;
  /** Short for `authenticate: bearer(key)`, such as `fromEnv('STRIPE_KEY')`. @defaultValue give `authenticate` to the client */
  readonly key?: Secret | undefined;
}

/** A customer of Stripe, as far as a saved card is concerned. */
export interface StripeCustomer extends Customer {
  readonly invoice_settings?: {
    /** The id, or the whole payment method where it's expanded. */
    readonly default_payment_method?: string | { readonly id: string } | null | undefined;
  };
}

/** The options of a billing client that {@link stripe} fills in. */
export type StripePreset = Finds<StripeCustomer> &
  Given<
    Pick<
      BillingConnection,
      'baseUrl' | 'version' | 'currency' | 'unit' | 'minorUnits' | 'idempotency' | 'rateLimit' | 'dialect'
    >
  > &
  Pick<BillingConnection, 'choose'>;

/**
 * Options that make a billing client speak to Stripe. Spread them; options after them win. Amounts are in euros, dollars
 * or yen, never in cents. `payments.create` pays an invoice, whole, with a saved payment method.
 * Throws `InvalidArgumentError` for options that cannot work.
 *
 * @example
 * const integration = createIntegration({
 *   billing: stripe({ currency: 'EUR', key: fromEnv('STRIPE_KEY') }),
 *   payments: { card: cardOnFile, below: 2000 },
 * });
 */
export const stripe: {
  (options: StripeOptions & { readonly key: Secret }): StripePreset & { readonly authenticate: Credential };
  (options: StripeOptions): StripePreset;
} = (options: StripeOptions) => {
  assertKnown(options, { currency: true, version: true, account: true, choose: true, baseUrl: true, key: true });
  const { currency, version = stripeVersion, account, choose, key, baseUrl = 'https://api.stripe.com/v1' } = options;
  if (typeof currency !== 'string' || !/^[a-z]{3}$/i.test(currency))
    throw new InvalidArgumentError('currency', 'must be a code of three letters, such as EUR');
  if (typeof version !== 'string' || !/^\d{4}-\d\d-\d\d(?:\.[a-z]+)?$/.test(version))
    throw new InvalidArgumentError('version', `must be a version such as ${stripeVersion}: it is always pinned`);
  if (account !== undefined && !/^acct_\w+$/.test(account))
    throw new InvalidArgumentError('account', 'must be the id of a connected account, such as acct_1032D82eZvKYlo2C');
  const preset: StripePreset = {
    baseUrl,
    version: { header: { name: 'Stripe-Version', value: version } },
    currency: currency.toUpperCase(),
    unit: 'major',
    minorUnits: usableDecimalsOf(currency),
    idempotency: 'key',
    choose,
    // Of a sandbox, and of one endpoint of a live account: docs.stripe.com/rate-limits, read 2026-11-27.
    rateLimit: { limit: 25, perMs: 1000 },
    dialect: {
      name: 'Stripe',
      endpoints: {
        customers: { get: { answer: unlessDeleted } },
        invoices: { listOpen: { path: 'invoices?customer={customerId}&status=open&limit=100' } },
        payments: {
          create: { sends: 'form', body: ({ payment_method_id }) => ({ payment_method: payment_method_id }) },
          refund: { sends: 'nested-form' },
        },
      },
      methods: (context) => ({
        findCustomers: createFindCustomers(context),
        listOpen: createListOpen(context),
        pay: createPay(context, { currency }),
        listPayments: createListPayments(context),
        refund: createRefundAt(context, { currency }),
      }),
      http: stripeHttp(account),
    },
  };
  // With a key, as the first of the two types says.
  return withoutUndefined({ ...preset, authenticate: key && bearer(key) }) as StripePreset & {
    readonly authenticate: Credential;
  };
};

/**
 * The customer's saved payment method, `invoice_settings.default_payment_method`: for `payments.card`.
 *
 * @example
 * const payments = { card: cardOnFile, below: 500 };
 */
export const cardOnFile = ({ invoice_settings: settings }: Customer): string | undefined => {
  const { default_payment_method: method }: { readonly default_payment_method?: unknown } = Object(settings);
  // Expanded, it's an object.
  const id: unknown = Object(method).id ?? method;
  return typeof id === 'string' && id !== '' ? id : undefined;
};

/** A customer who was deleted is `{ id, deleted: true }`. */
const unlessDeleted = (customer: unknown): unknown =>
  (Object(customer) as { readonly deleted?: unknown }).deleted === true ? null : customer;
