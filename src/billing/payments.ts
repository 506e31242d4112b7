import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, must, type OptionCheck } from '../core/option-checks.ts';
import { entry } from '../api/entry.ts';
import { hasAtMostDecimals, id } from '../core/arguments.ts';
import { readWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, readId, readRecord } from '../core/schema.ts';

/** A payment to make. The idempotency key is added by the client. */
export interface NewPayment {
  readonly customer_id: string;
  readonly invoice_id: string;
  /** A number in the API's own unit: above 0, below the limit of `payments`, with at most `minorUnits` decimals. */
  readonly amount: number;
  /** A card or account that the customer has left with the API; never a card number. */
  readonly payment_method_id: string;
}

/**
 * The end of a payment. Anything but `completed` isn't a success, and may not be final yet. An answer with another `amount`,
 * `currency` or `invoice_id` than asked for counts as unknown.
 */
export interface Payment {
  /**
   * `completed` is success. `already_paid`: nothing was charged now, and it's paid, perhaps by this payment. The API's
   * other words are its own.
   */
  readonly status: string;
  /** The number that the caller gets after a success. */
  readonly confirmation_number?: string | null | undefined;
  /** The reason why it wasn't made, in the API's words. */
  readonly error_message?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** The words of a billing API for a payment that isn't `completed`. Case, spaces and dashes make no difference. */
export interface PaymentStatuses {
  /**
   * It may still go through, even when the API adds an `error_message`. These win over `refused`, and are added to
   * `pending`, `processing`, `in_progress`, `queued`, `submitted`, `scheduled`, `authorized`, `under_review`, `on_hold`
   * and their variants.
   */
  readonly pending?: readonly string[] | undefined;
  /**
   * It was definitely not made, even without an `error_message`.
   * @defaultValue `declined`, `failed`, `refused`, `rejected`, `denied`, `canceled`, `cancelled`, `voided`, `expired`
   */
  readonly refused?: readonly string[] | undefined;
}

/** The rules for every payment of a client, from its options. */
export interface PaymentTerms {
  /** The address of the API: the same ids at another address are another payment. */
  readonly baseUrl: string;
  /** Every payment is below this, in the API's own unit. `undefined`: nothing can be paid. */
  readonly below: number | undefined;
  /** The decimals that an amount may have. */
  readonly minorUnits: number;
  readonly currency: string | undefined;
  readonly unit: 'major' | 'minor';
  /** The time zone of the business, as an IANA name. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined;
  /** The API's words for payments that aren't completed; `undefined` for the default words. */
  readonly statuses: PaymentStatuses | undefined;
  /** The client can pay at all. */
  readonly canPay: boolean;
  /** The API charges once per idempotency key. Otherwise a payment whose end is unknown is never sent again. */
  readonly knowsKeys: boolean;
  /** The client can list payments that were made. */
  readonly canList?: boolean | undefined;
  /** The rules of refunds. `undefined`: nothing can be given back. */
  readonly refunds?: { readonly below: number; readonly knowsKeys: boolean } | undefined;
}

export const newPayment = z.lazily<NewPayment>(() =>
  z.object({ customer_id: id(), invoice_id: id(), amount: z.number(), payment_method_id: id() }),
);

const paymentSchema = z.lazily<Payment>(() =>
  z.object({
    status: z.string().check(z.minLength(1)),
    confirmation_number: z.nullish(readId()),
    error_message: z.nullish(z.string()),
  }),
);

export const payment: Reader<Payment> = readWithin('payment', readRecord(paymentSchema, ['status']), ['status']);

/** The operations on payments, as the default API writes them. */
export const paymentEndpoints = {
  create: entry({
    method: 'POST',
    path: 'payments',
    takes: newPayment,
    body: (payment, idempotency_key) => ({ ...payment, idempotency_key }),
    effect: 'payment',
    wholeDeadline: true,
    returns: payment,
  }),
};

/**
 * Returns the reason why an amount can't be charged, or `undefined`. It must be above 0, below the maximum, and without
 * fractions of the smallest unit. No schema: there would be one per tenant.
 */
export const amountProblem = (amount: number, { below = 0, minorUnits }: PaymentTerms): string | undefined => {
  if (!(amount > 0)) return 'must be greater than 0';
  if (!(amount < below)) return `must be below ${below}`;
  // 0.1 + 0.2 is no amount of money: what was meant has to be rounded by the one who knows it.
  if (hasAtMostDecimals(amount, minorUnits)) return undefined;
  return minorUnits === 0 ? 'must be a whole number' : `must have at most ${minorUnits} decimals`;
};

/** The limit of a client's payments: every payment is below it, in the API's own unit. */
export interface PaymentLimit {
  readonly below: number;
  /** The limit of refunds: every refund is below it. @defaultValue nothing can be given back */
  readonly refund?: { readonly below: number } | undefined;
}

/** The checks of {@link PaymentLimit}. `canRefund`: the client has a way to give money back. */
export const limitChecks = (limit: PaymentLimit | undefined, canRefund: boolean): readonly OptionCheck[] => [
  () => assertKnown(limit, { below: true, refund: true }, 'payments'),
  () => assertKnown(limit?.refund, { below: true }, 'payments.refund'),
  must(
    limit?.refund === undefined || (Number.isFinite(limit.refund?.below) && limit.refund.below > 0),
    'payments.refund.below',
    'must be a number above 0: every refund stays below it',
  ),
  must(
    limit?.refund === undefined || canRefund,
    'payments.refund',
    'needs listPayments and refund of billingFrom, which gives money back',
  ),
  must(
    limit === undefined || (Number.isFinite(limit?.below) && limit.below > 0),
    'payments.below',
    'must be a number above 0: every payment stays below it',
  ),
];

/** Options of a client that are elsewhere. */
export const movedOptions = {
  maximumPayment: 'payments.below',
  payments: 'payments of createIntegration, next to billing',
};

/** Throws `InvalidArgumentError` for a client without a limit. */
export const assertMayPay = ({ below }: Pick<PaymentTerms, 'below'>): void => {
  if (below === undefined)
    throw new InvalidArgumentError(
      'payments',
      'is missing, so no money moves: give createIntegration or createBillingClient payments: { below }',
      { operation: 'billing.payments.create' },
    );
};
