import { currencyCode, readAmount } from './amount.ts';
import type { NewPayment, Payment, PaymentStatuses, PaymentTerms } from './payments.ts';

/**
 * Reads a payment's status. `already_paid` is an earlier payment of the same. `refused` is a refusal's word, and any
 * word with an `error_message` that doesn't mean pending. Everything else that isn't `completed` may still go through.
 */
export const paymentOutcome = (
  { status, error_message }: Payment,
  { pending = [], refused = refusedWords }: PaymentStatuses = {},
): 'completed' | 'already_paid' | 'refused' | 'pending' => {
  const word = toWord(status);
  const isIn = (words: readonly string[]) => words.some((one) => toWord(one) === word);
  if (word === 'completed') return 'completed';
  if (isIn(pending)) return 'pending';
  if (isIn(refused)) return 'refused';
  if (word === 'already_paid') return 'already_paid';
  return error_message?.trim() && !isIn(pendingWords) ? 'refused' : 'pending';
};

/**
 * An answer that names another invoice, amount or currency says nothing about the payment that was sent. An amount that
 * can't be read is another one.
 */
export const isAnswerTo = (
  asked: NewPayment,
  { invoice_id, amount, currency }: Payment,
  terms: Pick<PaymentTerms, 'currency'>,
): boolean => {
  const isOtherInvoice =
    (typeof invoice_id === 'string' || typeof invoice_id === 'number') && `${invoice_id}` !== asked.invoice_id;
  const named = readAmount(amount);
  const isOtherAmount = !isAbsent(amount) && named?.amount !== asked.amount;
  const wanted = currencyCode(terms.currency);
  const isOtherCurrency = [named?.currency, currencyCode(currency)].some((code) => code && wanted && code !== wanted);
  return !isOtherInvoice && !isOtherAmount && !isOtherCurrency;
};

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Reads a word for a status as far as it's certain. `undefined`: it may be one for success. */
export const endInWord = (status: string): 'refused' | 'pending' | undefined => {
  const word = toWord(status);
  if (refusedWords.includes(word)) return 'refused';
  return pendingWords.includes(word) || unfinishedWords.includes(word) ? 'pending' : undefined;
};

const pendingWords = [
  'pending',
  'processing',
  'in_process',
  'in_progress',
  'queued',
  'submitted',
  'scheduled',
  'authorized',
  'authorised',
  'in_review',
  'under_review',
  'on_hold',
  'held',
  'unknown',
];

/** With the words of an error they're a refusal: nothing goes on by itself. */
const unfinishedWords = [
  'requires_action',
  'requires_confirmation',
  'requires_capture',
  'requires_payment_method',
  'action_required',
  'incomplete',
  'unpaid',
];

const refusedWords = [
  'declined',
  'failed',
  'refused',
  'rejected',
  'denied',
  'canceled',
  'cancelled',
  'voided',
  'expired',
];

const toWord = (status: string) =>
  status
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/**
 * Reads the status of a payment or refund that an API keeps. `completed`: the money has moved, even if some of it was
 * given back. What isn't known is pending.
 */
export const endOfPayment = (
  record: Pick<Payment, 'status' | 'error_message'>,
  statuses: PaymentStatuses | undefined,
): 'completed' | 'pending' | 'refused' => {
  const word = toWord(record.status);
  const isOwn = [...(statuses?.pending ?? []), ...(statuses?.refused ?? [])].some((one) => toWord(one) === word);
  if (!isOwn && movedWords.includes(word)) return 'completed';
  const outcome = paymentOutcome(record, statuses);
  return outcome === 'already_paid' ? 'completed' : outcome;
};

const movedWords = [
  'completed',
  'complete',
  'succeeded',
  'success',
  'successful',
  'paid',
  'captured',
  'settled',
  'refunded',
  'partially_refunded',
];
