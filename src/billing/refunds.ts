import { entry } from '../api/entry.ts';
import { id } from '../core/arguments.ts';
import { completeError, IntegrationError, InvalidArgumentError, UnexpectedResponseError } from '../core/errors.ts';
import * as z from '../core/schema.ts';
import { checkArgument, type RecordList } from '../core/schema.ts';
import type { RequestOptions, Settled } from '../http/operation.ts';
import { currencyCode, sumOf } from './amount.ts';
import { type MadePayment, type PaymentSearch, type Refund, refund, refundedOf } from './made-payments.ts';
import { endOfPayment } from './payment-outcome.ts';
import { amountProblem, type PaymentTerms } from './payments.ts';

/** A refund to make. The idempotency key is added by the client. */
export interface NewRefund {
  readonly customer_id: string;
  readonly invoice_id: string;
  /** The payment that is given back, as `payments.list` has it. */
  readonly payment_id: string;
  /** A number in the API's own unit: above 0, below the limit of refunds, at most what is left of the payment. */
  readonly amount: number;
}

const newRefund = z.lazily<NewRefund>(() =>
  z.object({ customer_id: id(), invoice_id: id(), payment_id: id(), amount: z.number() }),
);

const operation = 'billing.payments.refund';

/** The operation that gives money back, as an API spells it that is like the default one. */
export const refundPayment = entry({
  method: 'POST',
  path: 'refunds',
  takes: newRefund,
  body: (asked, idempotency_key) => ({ ...asked, idempotency_key }),
  effect: 'payment',
  wholeDeadline: true,
  returns: refund,
});

/** The ways to the API. */
export interface RefundParts {
  readonly list: (by: PaymentSearch, call: RequestOptions) => Promise<RecordList<MadePayment>>;
  /** Sends the refund. The payment was read just now, and has as much left. */
  readonly send: (asked: NewRefund, payment: MadePayment, call: RequestOptions) => Promise<Refund>;
  readonly terms: PaymentTerms;
}

/** Returns the checked refund. Throws `InvalidArgumentError` for one that is never made. */
export const checkRefund = (asked: NewRefund, terms: PaymentTerms): NewRefund => {
  const { refunds } = terms;
  if (!refunds)
    throw new InvalidArgumentError(
      'payments.refund',
      'is missing, so nothing is given back: give payments: { refund: { below } }',
      {
        operation,
      },
    );
  const checked = checkArgument(operation, newRefund, asked);
  const problem = amountProblem(checked.amount, { ...terms, below: refunds.below });
  if (problem) throw new InvalidArgumentError('amount', problem, { operation });
  return checked;
};

/**
 * Gives a payment back, or a part of it. The payment is read first: one that isn't the customer's, that hasn't arrived,
 * or of which less is left is refused before anything is sent. A refund that was made under this key is the answer.
 */
export const makeRefund = async (
  asked: NewRefund,
  { call, list, send, terms }: RefundParts & { readonly call: RequestOptions },
): Promise<Refund> => {
  const { idempotencyKey, onSettled, ...scope } = call;
  const { customer_id, invoice_id } = asked;
  const payments = await beforeSending(() => list({ customer_id, invoice_id }, scope));
  const payment = payments.data.find((one) => one.id === asked.payment_id);
  if (!payment) throw refused('payment_id', 'is not a payment of this invoice and customer');
  const earlier = payment.refunds?.find(
    (one) => idempotencyKey !== undefined && one.idempotency_key === idempotencyKey,
  );
  const wanted = { asked, terms, idempotencyKey };
  if (earlier) return answerTo(earlier, wanted);
  assertRefundable(asked, payment, terms);
  const answer = await send(asked, payment, {
    ...call,
    onSettled: onSettled && ((settled) => onSettled(checkedEnd(settled, wanted))),
  });
  return answerTo(answer, wanted);
};

/** Runs what comes before the money moves: nothing was sent, however it ends. */
export const beforeSending = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    throw error instanceof IntegrationError ? completeError(error, { outcome: 'not_sent' }) : error;
  }
};

const refused = (field: string, problem: string) => new InvalidArgumentError(field, problem, { operation });

/** Throws for a payment of which the amount can't be given back. */
const assertRefundable = ({ amount }: NewRefund, payment: MadePayment, terms: PaymentTerms): void => {
  const { statuses, currency } = terms;
  if (endOfPayment(payment, statuses) !== 'completed')
    throw refused('payment_id', 'has not arrived, so there is nothing to give back');
  const [own, wanted] = [currencyCode(payment.currency), currencyCode(currency)];
  if (own && wanted && own !== wanted) throw refused('payment_id', `is in ${own}, and refunds are in ${wanted}`);
  const refunded = refundedOf(payment, statuses);
  if (refunded === undefined)
    throw new UnexpectedResponseError(
      `${operation} was not sent: the payment must say amount_refunded or its refunds, so that no more than it is given back`,
      { operation, outcome: 'not_sent' },
    );
  if (sumOf([refunded, amount]) > payment.amount) throw refused('amount', aboveWhatIsLeft);
};

const aboveWhatIsLeft = 'must not be above what is left of the original payment';

/** Returns the answer if it's about this refund. Anything else says nothing about the money. */
const answerTo = (answer: Refund, { asked: { amount, payment_id }, terms, idempotencyKey }: Wanted): Refund => {
  const [own, wanted] = [currencyCode(answer.currency), currencyCode(terms.currency)];
  const isOther =
    answer.amount !== amount ||
    (typeof answer.payment_id === 'string' && answer.payment_id !== payment_id) ||
    (own !== undefined && wanted !== undefined && own !== wanted);
  if (!isOther) return answer;
  throw new UnexpectedResponseError(`${operation} was answered for another payment, amount or currency`, {
    operation,
    outcome: 'unknown',
    idempotencyKey,
  });
};

interface Wanted extends Pick<RefundParts, 'terms'> {
  readonly asked: NewRefund;
  readonly idempotencyKey: string | undefined;
}

/** The end of a refund that wasn't waited for. */
const checkedEnd = (settled: Settled, wanted: Wanted): Settled => {
  if (!settled.ok) return settled;
  const { idempotencyKey } = settled;
  try {
    // The client read it with the reader of refunds.
    return { operation, idempotencyKey, ok: true, result: answerTo(settled.result as Refund, wanted) };
  } catch (error) {
    if (!(error instanceof IntegrationError)) throw error;
    return { operation, idempotencyKey, ok: false, error };
  }
};
