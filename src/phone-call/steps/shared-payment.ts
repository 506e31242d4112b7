import { IntegrationError, InvalidArgumentError } from '../../core/errors.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import type { Json } from '../../stores/ports/json.ts';
import { type PaymentResult, unknownPayment } from './take-payment.ts';

export interface SharedPayment {
  /** Shared by the processes that may repeat the payment. */
  readonly store: IdempotencyStore;
  /** The payment's key, with what makes it the key of one API and tenant. */
  readonly name: Json;
  readonly idempotencyKey: string;
  /** Gets the error of a store that fails. The payment is made all the same, and a refusal of it is then unknown. */
  readonly report: (error: unknown) => void;
  readonly onSettled?: ((result: PaymentResult) => void) | undefined;
}

/**
 * Makes a payment, and keeps in a store that it may be made, and how it ended. A refusal of a repetition, in whatever
 * process the first try was, gives the end that is kept; without one, the payment is unknown.
 */
export const sharePayment = async (
  { store, name, idempotencyKey, report, onSettled }: SharedPayment,
  pay: (onSettled: (result: PaymentResult) => void) => Promise<PaymentResult>,
): Promise<PaymentResult> => {
  const key = `step-payment:${JSON.stringify([name, idempotencyKey])}`;
  const options = { fingerprint: key, leaseMs, retainMs, reopen: true };
  const claimed = await store.claim(key, options).catch(report);
  const claim = claimed && 'claim' in claimed ? claimed.claim : undefined;
  // Only this file writes under these keys.
  const before = claimed?.state === 'finished' ? (claimed.result as object as PaymentResult) : undefined;
  const isFirst = claimed?.state === 'new';

  const leaveOpen = (held: string) => store.renew(key, held, { leaseMs: 0, note: null });
  const keep = async (held: string | undefined, result: PaymentResult): Promise<unknown> => {
    if (held === undefined) return undefined;
    if (isEnd(result)) return store.settle(key, held, toKept(result));
    return before ? store.settle(key, held, toKept(before)) : leaveOpen(held);
  };
  const keepLate = async (result: PaymentResult): Promise<unknown> => {
    const late = isEnd(result) ? await store.claim(key, options) : undefined;
    return late && 'claim' in late ? keep(late.claim, result) : undefined;
  };

  // A process that is killed leaves it unknown.
  if (isFirst) await store.renew(key, claimed.claim, { leaseMs, note: null }).catch(report);
  try {
    const told = await pay((late) => {
      keepLate(late).catch(report);
      onSettled?.(late);
    });
    // Without an answer about the payment, what is known of it still is.
    const result = told.payment === undefined ? (before ?? told) : told;
    await keep(claim, result).catch(report);
    return result;
  } catch (error) {
    const isMisused = error instanceof InvalidArgumentError && error.field === 'idempotencyKey';
    const isRefused = error instanceof IntegrationError && !isFirst && !isMisused;
    const result = isRefused ? (before ?? unknownPayment({ cause: error, idempotencyKey })) : undefined;
    if (result) await keep(claim, result).catch(report);
    else if (claim !== undefined) await (isFirst ? store.release(key, claim) : leaveOpen(claim)).catch(report);
    if (result) return result;
    throw error;
  }
};

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

/** The time for which APIs keep their keys. */
const retainMs = 24 * 60 * 60 * 1000;
