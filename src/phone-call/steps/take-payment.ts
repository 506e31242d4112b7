import { isUnkeyed } from '../../billing/own/unkeyed.ts';
import type { BillingClient, NewPayment, Payment, PaymentTerms } from '../../billing/index.ts';
import { isAnswerTo, paymentOutcome } from '../../billing/payment-outcome.ts';
import { IntegrationError, InvalidArgumentError } from '../../core/errors.ts';
import { assertSpelled, type OptionNames } from '../../core/option-checks.ts';
import { settleWithin } from '../../core/timers.ts';
import type { Settled } from '../../http/operation.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import type { Json } from '../../stores/ports/json.ts';
import { clientOf, type OngoingCall } from './ongoing-call.ts';
import { digest, requestOptions, stepKey, type StepOptions } from './step.ts';

/** The customer, the invoice, the amount and the payment method. */
export interface TakePaymentInput {
  readonly customerId: string;
  readonly invoiceId: string;
  /** A number in the billing API's own unit: above 0, and below `payments.below`. */
  readonly amount: number;
  readonly paymentMethodId: string;
  /**
   * The API charges once per key.
   * @defaultValue made from the phone call, customer, invoice, amount and payment method: asking for the same payment
   * again in the same phone call repeats it
   */
  readonly idempotencyKey?: string | undefined;
  /** Raise it to try the same payment again after it was refused. Part of the key made here. @defaultValue 1 */
  readonly ordinal?: number | undefined;
}

/** The time for the payment, and a callback for an end that the caller doesn't wait for. */
export interface TakePaymentOptions extends StepOptions {
  /** Called with the end of a payment whose caller had hung up after it was sent. */
  readonly onSettled?: ((result: PaymentResult) => void) | undefined;
}

/** The end of a payment, known or unknown. */
export type PaymentResult = CompletedPayment | RefusedPayment | UnknownPayment;

/** The money has moved. */
export interface CompletedPayment {
  readonly success: true;
  /** Nothing was charged now: it was paid before, by this payment or by another one. */
  readonly alreadyPaid?: true | undefined;
  /** Absent when the API gave none. */
  readonly confirmationNumber?: string | undefined;
  readonly payment: Payment;
  readonly idempotencyKey: string;
}

/** The money has not moved. */
export interface RefusedPayment {
  readonly success: false;
  /** `rejected`: the API said no. `not_sent`: it has not seen it; only `onSettled` gets that, `takePayment` throws. */
  readonly outcome: 'rejected' | 'not_sent';
  /** The API's own words where it gave some; never empty. */
  readonly error: string;
  readonly payment?: Payment;
  readonly cause?: IntegrationError;
  readonly idempotencyKey: string;
}

/** The money may have moved. Say that it is being checked; repeat it with the same key to find out. */
export interface UnknownPayment {
  readonly success: false;
  readonly outcome: 'unknown';
  /** You can say it to the caller; the same for every such payment. */
  readonly error: string;
  /** The API's answer when it isn't final, such as `pending`. */
  readonly payment?: Payment;
  readonly cause?: IntegrationError;
  readonly idempotencyKey: string;
}

/**
 * Makes a payment and says how it ended. Only `completed` and `already_paid` are success. A status is a refusal when the
 * client's `paymentStatuses` say so, or when it comes with an `error_message` and doesn't mean pending. Everything else,
 * an answer for another invoice, amount or currency, and an error after which the money may have moved, give `outcome: 'unknown'`.
 * Throws the client's error when the money has certainly not moved: `InvalidArgumentError`, `ClientError`,
 * `CircuitOpenError` and the like.
 */
export const takePayment = async (
  { billing }: { readonly billing: BillingClient },
  input: TakePaymentInput & { readonly callId: string },
  { onSettled, ...options }: TakePaymentOptions = {},
): Promise<PaymentResult> => {
  const idempotencyKey = input.idempotencyKey ?? paymentKey(input);
  const payment = {
    customer_id: input.customerId,
    invoice_id: input.invoiceId,
    amount: input.amount,
    payment_method_id: input.paymentMethodId,
  };
  const sent: SentPayment = { payment, idempotencyKey, terms: billing.paymentTerms() };
  try {
    const answer = await billing.payments.create(payment, {
      ...requestOptions(input.callId, options),
      idempotencyKey,
      onSettled: onSettled && ((settled) => onSettled(toSettledResult(settled, sent))),
    });
    return toResult(answer, sent);
  } catch (error) {
    if (error instanceof IntegrationError && error.outcome === 'unknown')
      return unknownPayment({ cause: error, idempotencyKey });
    throw error;
  }
};

/** {@link takePayment} in a phone call: with a store, a repetition in another process knows how the first one ended. */
export const takePaymentStep =
  ({ facts, settings, payments, within, ...call }: OngoingCall) =>
  async (input: TakePaymentInput, options?: TakePaymentOptions): Promise<PaymentResult> => {
    assertSpelled(input, inputNames);
    const { callId } = facts;
    const { store, tenant, report, below = Number.POSITIVE_INFINITY } = payments;
    // The client judges the rest, and has a limit of its own.
    if (input.amount >= below) throw new InvalidArgumentError('amount', `must be below ${below}`);
    const { idempotencyKey = paymentKey({ ...input, callId, tenant }) } = input;
    const { onSettled, ...scope }: TakePaymentOptions = { ...settings, ...within(options) };
    const billing = clientOf(call, 'billing');
    const pay = (settled: TakePaymentOptions['onSettled']) =>
      takePayment({ billing }, { ...input, callId, idempotencyKey }, { ...scope, onSettled: settled });
    const { baseUrl, knowsKeys } = billing.paymentTerms();
    const name = [tenant ?? null, baseUrl];
    const result = store
      ? await sharePayment({ store, report, name, idempotencyKey, knowsKeys, onSettled }, pay)
      : await pay(onSettled);
    // Nothing throws, and the next payment would be without its key too.
    if ('cause' in result && isUnkeyed(result.cause)) report(result.cause);
    return result;
  };

const inputNames: OptionNames<TakePaymentInput> = {
  customerId: true,
  invoiceId: true,
  amount: true,
  paymentMethodId: true,
  idempotencyKey: true,
  ordinal: true,
};

/** The key of a payment: same phone call, same payment, same key, in any process. It shows nothing of its parts. */
export const paymentKey = (
  input: Omit<TakePaymentInput, 'idempotencyKey'> & { readonly callId: string; readonly tenant?: string | undefined },
): string => {
  const { callId, customerId, invoiceId, amount, paymentMethodId, ordinal = 1, tenant } = input;
  if (!Number.isSafeInteger(ordinal) || ordinal < 1)
    throw new InvalidArgumentError('ordinal', 'must be a whole number, 1 or more');
  const of = [...(tenant === undefined ? [] : [tenant]), customerId, invoiceId, amount, paymentMethodId];
  return stepKey(callId, `payment:${digest([...of, ordinal])}`);
};

interface SentPayment {
  readonly payment: NewPayment;
  readonly idempotencyKey: string;
  readonly terms: PaymentTerms;
}

const toResult = (payment: Payment, { payment: asked, idempotencyKey, terms }: SentPayment): PaymentResult => {
  const outcome = paymentOutcome(payment, terms.statuses);
  if (outcome === 'pending' || !isAnswerTo(asked, payment, terms)) return unknownPayment({ payment, idempotencyKey });
  if (outcome !== 'refused') {
    const confirmationNumber = payment.confirmation_number || undefined;
    const alreadyPaid = outcome === 'already_paid' || undefined;
    return { success: true, alreadyPaid, confirmationNumber, payment, idempotencyKey };
  }
  const error = payment.error_message?.trim() || 'The payment was not accepted.';
  return { success: false, outcome: 'rejected', error, payment, idempotencyKey };
};

const toSettledResult = (settled: Settled, sent: SentPayment): PaymentResult => {
  const { idempotencyKey } = sent;
  // The client read it with the reader of payments.
  if (settled.ok) return toResult(settled.result as Payment, sent);
  const cause = settled.error;
  if (cause.outcome === 'unknown') return unknownPayment({ cause, idempotencyKey });
  return { success: false, outcome: cause.outcome, error: 'The payment was not accepted.', cause, idempotencyKey };
};

/** A payment whose end isn't known. `error` doesn't repeat the API's own words, which may sound final; `payment` has them. */
const unknownPayment = (rest: Omit<UnknownPayment, 'success' | 'outcome' | 'error'>): UnknownPayment => ({
  success: false,
  outcome: 'unknown',
  error: 'It is not known yet whether the payment went through.',
  ...rest,
});

interface SharedPayment {
  /** Shared by the processes that may repeat the payment. */
  readonly store: IdempotencyStore;
  /** The payment's key, with what makes it the key of one API and tenant. */
  readonly name: Json;
  readonly idempotencyKey: string;
  /** The API charges once per key. */
  readonly knowsKeys: boolean;
  /** Gets the error of a store that fails. The payment is made all the same, and a refusal of it is then unknown. */
  readonly report: (error: unknown) => void;
  readonly onSettled?: ((result: PaymentResult) => void) | undefined;
}

/**
 * Makes a payment, and keeps in a store that it may be made, and how it ended. A refusal of a repetition, in whatever
 * process the first try was, gives the end that is kept; without one, the payment is unknown. What may have been made
 * without a key isn't sent again.
 */
const sharePayment = async (
  { store, name, idempotencyKey, knowsKeys, report, onSettled }: SharedPayment,
  pay: (onSettled: (result: PaymentResult) => void) => Promise<PaymentResult>,
): Promise<PaymentResult> => {
  const key = `step-payment:${JSON.stringify([name, idempotencyKey])}`;
  const options = { fingerprint: key, leaseMs, retainMs, reopen: true };
  const claimed = await store.claim(key, options).catch(report);
  const claim = claimed && 'claim' in claimed ? claimed.claim : undefined;
  // Only this file writes under these keys.
  const before = claimed?.state === 'finished' ? (claimed.result as object as PaymentResult) : undefined;
  const isFirst = claimed?.state === 'new';
  const isStuck = claimed?.state === 'unknown' && claimed.note === unkeyedNote;

  const restore = (held: string, note: Json = isStuck ? unkeyedNote : null): Promise<unknown> =>
    before ? store.settle(key, held, toKept(before)) : store.renew(key, held, { leaseMs: 0, note });
  const keep = async (held: string | undefined, result: PaymentResult): Promise<unknown> => {
    if (held === undefined) return undefined;
    if (isEnd(result)) return store.settle(key, held, toKept(result));
    return restore(held, 'cause' in result && isUnkeyed(result.cause) ? unkeyedNote : undefined);
  };
  const keepLate = async (result: PaymentResult): Promise<unknown> => {
    const late = isEnd(result) ? await store.claim(key, options) : undefined;
    return late && 'claim' in late ? keep(late.claim, result) : undefined;
  };

  /** The caller and the application learn how it ended even if the store never answers. */
  const waitFor = (kept: Promise<unknown>) => settleWithin(kept, { deadline: longestStoreMs }).catch(report);

  if (claimed && !isFirst && (isStuck || !knowsKeys)) {
    if (claim !== undefined) await waitFor(restore(claim));
    return before ?? unknownPayment({ idempotencyKey });
  }
  // A process that is killed leaves it unknown.
  if (isFirst) await store.renew(key, claimed.claim, { leaseMs, note: null }).catch(report);
  try {
    const told = await pay((late) => {
      // Kept first, so that a process that is asked next knows it.
      void waitFor(keepLate(late)).then(() => ignoreErrors(() => onSettled?.(late)));
    });
    // Without an answer about the payment, what is known of it still is.
    const result = told.payment === undefined ? (before ?? told) : told;
    await waitFor(keep(claim, result));
    return result;
  } catch (error) {
    const isMisused = error instanceof InvalidArgumentError && error.field === 'idempotencyKey';
    const isRefused = error instanceof IntegrationError && !isFirst && !isMisused;
    const result = isRefused ? (before ?? unknownPayment({ cause: error, idempotencyKey })) : undefined;
    if (result) await waitFor(keep(claim, result));
    else if (claim !== undefined) await waitFor(isFirst ? store.release(key, claim) : restore(claim));
    if (result) return result;
    throw error;
  }
};

/** The note of a payment that may have been made without its key. */
const unkeyedNote = 'unkeyed';

/** The API has said how it ended. */
const isEnd = (result: PaymentResult): boolean =>
  result.success || (result.outcome === 'rejected' && result.payment !== undefined);

/** Without what an API says besides. */
const toKept = (result: PaymentResult): Json & object => {
  const { status, confirmation_number, error_message }: Partial<NonNullable<PaymentResult['payment']>> =
    result.payment ?? {};
  // JSON, once what is `undefined` has gone.
  return JSON.parse(
    JSON.stringify({ ...result, cause: undefined, payment: { status, confirmation_number, error_message } }),
  );
};

/** Longer than a payment may take. */
const leaseMs = 20_000;

/** Longer than the stores of this package take for a claim and a settlement. */
const longestStoreMs = 10_000;

/** The time for which APIs keep their keys. */
const retainMs = 24 * 60 * 60 * 1000;
