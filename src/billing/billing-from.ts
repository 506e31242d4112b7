import type { ApiClient, ApiClientOptions, ApiConnection, ApiEndpoint, ApiEndpoints } from '../api/api-client.ts';
import { madeOf } from '../api/made-of.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, checkOptions, must, oneOf, type OptionCheck, type OptionNames } from '../core/option-checks.ts';
import type { RecordList } from '../core/schema.ts';
import type { Customer, Finds } from './customers.ts';
import type { PaymentSearch } from './made-payments.ts';
import type { NewPayment } from './payments.ts';
import type { NewRefund } from './refunds.ts';

/** A billing API of your own, made by {@link billingFrom}. */
export interface OwnBilling<Owner extends object = Customer> extends Finds<Owner> {
  readonly own: object;
}

/**
 * The functions that reach a billing API of your own, and the unit of its amounts. `ByPhone`, `ByEmail` and `ById` are the
 * customers that they find.
 */
export interface BillingFunctions<
  Api,
  ByPhone extends OwnCustomer = OwnCustomer,
  ByEmail extends OwnCustomer = ByPhone,
  ById extends OwnCustomer = ByPhone,
> {
  /** The currency of all amounts, such as `EUR`. Models see it. */
  readonly currency: string;
  /** The unit of an amount: `major` is euros, `minor` cents. Models see it. @defaultValue 'major' */
  readonly unit?: 'major' | 'minor' | undefined;
  /**
   * Returns every customer with this number, which is in E.164. One whose record shows another number is left out. Several
   * are ambiguous, and nothing is said about them. At least one of `findByPhone` and `findByEmail` must be given.
   * @defaultValue no one is found by a number
   */
  readonly findByPhone?: ((phone: string, api: Api) => Promise<readonly ByPhone[]>) | undefined;
  /** Returns every customer with this address, as `findByPhone` does. @defaultValue no one is found by an address */
  readonly findByEmail?: ((email: string, api: Api) => Promise<readonly ByEmail[]>) | undefined;
  /**
   * Returns the customer with this id, `undefined` if there is none: for the `customerId` of a phone call.
   * @defaultValue a phone call can't have a `customerId`
   */
  readonly findById?: ((customerId: string, api: Api) => Promise<ById | null | undefined>) | undefined;
  /** Returns what this customer still owes. */
  readonly listOpen: (customerId: string, api: Api) => Promise<readonly OwnInvoice[] | RecordList<OwnInvoice>>;
  /**
   * Charges exactly this. What it throws after its request left is unknown, not failed, unless the API refused it.
   * @defaultValue nothing can be paid
   */
  readonly pay?: ((payment: OwnPaymentOrder, api: Api) => Promise<OwnPayment>) | undefined;
  /**
   * Returns the payments of this customer's invoices, the latest first, or only those of the invoice that is asked for.
   * @defaultValue payments can't be looked up
   */
  readonly listPayments?:
    | ((by: PaymentSearch, api: Api) => Promise<readonly OwnMadePayment[] | RecordList<OwnMadePayment>>)
    | undefined;
  /**
   * Gives exactly this back. Works as `pay` does, and needs `listPayments`: no more is given back than is left.
   * @defaultValue nothing can be given back
   */
  readonly refund?: ((refund: OwnRefundOrder, api: Api) => Promise<OwnRefund>) | undefined;
}

/** A customer of your own API. Further fields are kept, such as a saved card. */
export interface OwnCustomer {
  readonly id: string;
  readonly name?: string | null | undefined;
  /** The number as your API writes it: what is found is compared with what was asked. */
  readonly phone?: string | null | undefined;
  /** The address as your API writes it, compared in the same way. */
  readonly email?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A debt of a customer in your own API. */
export interface OwnInvoice {
  readonly id: string;
  /** The amount that is left to pay, in the `unit`. */
  readonly amount: number;
  /** The day, YYYY-MM-DD. */
  readonly due_date?: string | null | undefined;
  /** The invoice's own currency. One in another currency is listed, and can't be paid. @defaultValue the `currency` of the functions */
  readonly currency?: string | null | undefined;
  /** The page on which the customer can pay it. */
  readonly payment_page_url?: string | null | undefined;
}

/** A payment to make with your own API. */
export interface OwnPaymentOrder extends NewPayment {
  /** The `amount` in the smallest unit of its currency, a whole number: cents, yen, thousandths of a dinar. */
  readonly minor_amount: number;
  /** The key of this payment. The client sends it as a header; some APIs want it in the body too. */
  readonly idempotency_key: string;
}

/** The end of a payment. `already_paid`: nothing was charged now. `pending`: it may still go through. */
export type OwnPayment =
  | {
      readonly status: 'completed' | 'already_paid';
      /** The number that the caller gets. */
      readonly confirmation_number?: string | null | undefined;
    }
  | {
      readonly status: 'declined';
      /** The reason, in words for the caller. */
      readonly error_message?: string | null | undefined;
    }
  | { readonly status: 'pending' };

/** A payment that your own API has, and what was given back of it. */
export interface OwnMadePayment {
  readonly id: string;
  readonly invoice_id: string;
  /** The amount that was paid, in the `unit`. */
  readonly amount: number;
  readonly status: 'completed' | 'pending' | 'declined';
  /** The day or the moment at which it was made. */
  readonly created_at?: string | null | undefined;
  /** @defaultValue the `currency` of the functions */
  readonly currency?: string | null | undefined;
  /** All that was given back so far, with what is pending. `refund` needs this, or `refunds`. */
  readonly amount_refunded?: number | null | undefined;
  /** All refunds of it. One with its `idempotency_key` is found again if the answer to it was lost. */
  readonly refunds?: readonly OwnMadeRefund[] | null | undefined;
}

/** A refund that your own API has. */
export interface OwnMadeRefund {
  readonly id: string;
  readonly amount: number;
  readonly status: 'completed' | 'pending' | 'declined';
  readonly idempotency_key?: string | null | undefined;
}

/** A refund to make with your own API. */
export interface OwnRefundOrder extends NewRefund {
  /** The `amount` in the smallest unit of its currency, a whole number. */
  readonly minor_amount: number;
  /** The key of this refund, as a payment has one. */
  readonly idempotency_key: string;
}

/** The end of a refund. `pending`: it may still fail. */
export type OwnRefund =
  | Exclude<OwnPayment, { readonly status: 'completed' | 'already_paid' }>
  | { readonly status: 'completed' };

/**
 * Makes your own billing API the one that phone calls, steps and tools work with, guards included. Each function gets
 * the client `api` for this one call: with its deadline, its signal and, for a payment, its idempotency key. So use that
 * one, and not the client outside, which stays yours to close.
 * Throws `InvalidArgumentError` for functions that can't work. Nothing is sent before the first call.
 *
 * @example
 * const billing = billingFrom(ledger, {
 *   currency: 'EUR',
 *   findByPhone: async (phone, api) => (await api.accounts({ phone })).map(({ no, name }) => ({ id: no, name, phone })),
 *   listOpen: async (customerId, api) => (await api.bills({ id: customerId })).map(({ no, open }) => ({ id: no, amount: open })),
 * });
 */
export const billingFrom = <
  Api extends ApiClient<{}>,
  const ByPhone extends OwnCustomer = never,
  const ByEmail extends OwnCustomer = never,
  const ById extends OwnCustomer = never,
>(
  api: Api,
  functions: BillingFunctions<Api, ByPhone, ByEmail, ById>,
): OwnBilling<ByPhone | ByEmail | ById> => {
  const options = optionsOf(api);
  checkOptions('billingFrom', [
    must(options !== undefined, 'api', 'must be a client of createApiClient'),
    ...functionChecks(Object(functions), options?.endpoints ?? {}),
  ]);
  const own = {};
  // The functions are only ever given a bound copy of this very client.
  if (options) made.set(own, { api, options, functions: functions as object as BillingFunctions<ApiConnection> });
  return { own };
};

/** The parts of a billing API of your own. */
export interface OwnParts {
  readonly api: ApiConnection;
  readonly options: ApiClientOptions<ApiEndpoints>;
  readonly functions: BillingFunctions<ApiConnection>;
}

const made = new WeakMap<object, OwnParts>();

/** Returns what {@link billingFrom} was given. Throws `InvalidArgumentError` for what it didn't make. */
export const partsOf = ({ own }: OwnBilling): OwnParts => {
  const parts = typeof own === 'object' && own !== null ? made.get(own) : undefined;
  if (parts) return parts;
  throw new InvalidArgumentError('own', 'must be made by billingFrom');
};

/** The names of the endpoints that take a payment. */
export const paymentsIn = (endpoints: ApiEndpoints): readonly string[] =>
  Object.entries(endpoints).flatMap(([name, { effect }]) => (effect === 'payment' ? [name] : []));

/** The options of a client, as far as it's one of `createApiClient`. */
const optionsOf = (api: ApiConnection): OwnParts['options'] | undefined => {
  const { [madeOf]: options }: { readonly [madeOf]?: OwnParts['options'] } = Object(api);
  return options;
};

/** Programs in JavaScript may give anything. */
type Given = Readonly<Partial<Record<keyof BillingFunctions<unknown>, unknown>>> &
  Pick<Partial<BillingFunctions<unknown>>, 'unit'>;

const functionChecks = (functions: Given, endpoints: Readonly<Record<string, ApiEndpoint>>): readonly OptionCheck[] => {
  const { currency, unit, findByPhone, findByEmail, listOpen, pay, listPayments, refund } = functions;
  const isCode = typeof currency === 'string' && /^[A-Za-z]{3}$/.test(currency);
  const hasSearch = findByPhone !== undefined || findByEmail !== undefined;
  const mustBe = (name: keyof Given, problem = 'must be a function') =>
    must(functions[name] === undefined || typeof functions[name] === 'function', name, problem);
  return [
    () => assertKnown<BillingFunctions<unknown>>(functions, names, undefined, otherWords),
    must(isCode, 'currency', 'must be a code of three letters, such as EUR'),
    oneOf(unit, 'unit', ['major', 'minor']),
    must(hasSearch, 'findByPhone', 'or findByEmail must be given: one of them finds the caller'),
    mustBe('findByPhone'),
    mustBe('findByEmail'),
    mustBe('findById'),
    must(typeof listOpen === 'function', 'listOpen', 'must be a function that returns what a customer owes'),
    mustBe('pay'),
    mustBe('listPayments'),
    mustBe('refund'),
    must(
      refund === undefined || listPayments !== undefined,
      'refund',
      'needs listPayments: it says what was paid, and what was given back of it',
    ),
    ...[{ pay }, { refund }].map((one) =>
      must(
        Object.values(one)[0] === undefined || paymentsIn(endpoints).length > 0,
        Object.keys(one)[0] ?? '',
        "needs an endpoint of the client with effect: 'payment', which gets the idempotency key",
      ),
    ),
  ];
};

const names: OptionNames<BillingFunctions<unknown>> = {
  currency: true,
  unit: true,
  findByPhone: true,
  findByEmail: true,
  findById: true,
  listOpen: true,
  pay: true,
  listPayments: true,
  refund: true,
};

const otherWords = { find: 'findByPhone or findByEmail', listInvoices: 'listOpen', charge: 'pay' };
