import { entry } from '../api/entry.ts';
import { id } from '../core/arguments.ts';
import { readList, readWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, type RecordList, readId, readRecord } from '../core/schema.ts';
import { sumOf } from './amount.ts';
import { endOfPayment } from './payment-outcome.ts';
import type { PaymentStatuses } from './payments.ts';

/** A payment of an invoice as the API keeps it, with what was given back of it. Further fields are kept as they came. */
export interface MadePayment {
  readonly id: string;
  readonly customer_id: string;
  readonly invoice_id: string;
  /** The amount in the API's own unit. */
  readonly amount: number;
  /** `completed`: the money arrived. The API's other words are its own. */
  readonly status: string;
  readonly currency?: string | null | undefined;
  /** The day or the moment at which it was made. */
  readonly created_at?: string | null | undefined;
  /** All that was given back so far, with what is pending. A refund needs this, or `refunds`. */
  readonly amount_refunded?: number | null | undefined;
  /** All refunds of it, those that failed too. */
  readonly refunds?: readonly Refund[] | null | undefined;
  readonly [field: string]: unknown;
}

/** Money that is given back. Further fields are kept as they came. */
export interface Refund {
  readonly id: string;
  /** The amount in the API's own unit. */
  readonly amount: number;
  /** `completed`: the money left for the card or account that paid. A bank may still send it back. The API's other words are its own. */
  readonly status: string;
  readonly currency?: string | null | undefined;
  readonly payment_id?: string | null | undefined;
  /** The key that it was made under: a refund whose answer was lost is found by it. */
  readonly idempotency_key?: string | null | undefined;
  /** The reason why it failed, in the API's words. */
  readonly error_message?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** The payments to list. */
export interface PaymentSearch {
  readonly customer_id: string;
  /** Only those of this invoice. @defaultValue the customer's latest, of all their invoices */
  readonly invoice_id?: string | undefined;
}

export const paymentSearch = z.lazily<PaymentSearch>(() =>
  z.object({ customer_id: id(), invoice_id: z.optional(id()) }),
);

const refundSchema = z.lazily<Refund>(() =>
  z.looseObject({
    id: readId(),
    amount: z.number(),
    status: z.string().check(z.minLength(1)),
    currency: z.nullish(z.string()),
    payment_id: z.nullish(readId()),
    idempotency_key: z.nullish(z.string()),
    error_message: z.nullish(z.string()),
  }),
);

export const refund: Reader<Refund> = readWithin('refund', readRecord(refundSchema, ['id', 'amount', 'status']));

const paymentSchema = z.lazily<MadePayment>(() =>
  z.object({
    id: readId(),
    customer_id: readId(),
    invoice_id: readId(),
    amount: z.number(),
    status: z.string().check(z.minLength(1)),
    currency: z.nullish(z.string()),
    created_at: z.nullish(z.string()),
    amount_refunded: z.nullish(z.number()),
    refunds: z.nullish(z.array(refundSchema())),
  }),
);

const madePayment: Reader<MadePayment> = readRecord(paymentSchema, [
  'id',
  'customer_id',
  'invoice_id',
  'amount',
  'status',
  'amount_refunded',
  'refunds',
]);

/** The operation that lists payments, as an API spells it that is like the default one. */
export const listPayments = entry({
  method: 'GET',
  path: 'payments',
  takes: paymentSearch,
  returns: readList(madePayment, { under: ['payments'] }),
});

/** Keeps the payments that were asked for, each once: an API may ignore a condition. */
export const paymentsFor = (
  { customer_id, invoice_id }: PaymentSearch,
  { data, total, hasMore }: RecordList<MadePayment>,
): RecordList<MadePayment> => {
  const meant = [...new Map(data.map((one) => [one.id, one])).values()].filter(
    (one) => one.customer_id === customer_id && (invoice_id === undefined || one.invoice_id === invoice_id),
  );
  return { data: meant, total: meant.length + Math.max(0, total - data.length), hasMore };
};

/** The sum that was given back of a payment, or still may be; `undefined` if the API doesn't say. */
export const refundedOf = (
  { amount_refunded, refunds }: MadePayment,
  statuses: PaymentStatuses | undefined,
): number | undefined => {
  const sums = [
    ...((amount_refunded ?? undefined) === undefined ? [] : [Number(amount_refunded)]),
    ...(refunds
      ? [sumOf(refunds.filter((one) => endOfPayment(one, statuses) !== 'refused').map(({ amount }) => amount))]
      : []),
  ];
  return sums.length === 0 ? undefined : Math.max(...sums);
};
