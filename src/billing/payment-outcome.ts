import type { NewPayment, Payment } from './records.ts';

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

/**
 * What a payment's status means: `already_paid` for an earlier payment of the same, `refused` for a refusal's word, and for any other word that comes with an
 * `error_message`, unless it's one for pending. Everything else that isn't `completed` may still go through.
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

/** An answer that names another invoice or amount says nothing about the payment that was sent. */
export const isAnswerTo = (asked: NewPayment, { invoice_id, amount }: Payment): boolean => {
  const isOtherInvoice =
    (typeof invoice_id === 'string' || typeof invoice_id === 'number') && `${invoice_id}` !== asked.invoice_id;
  const isOtherAmount = typeof amount === 'number' && amount !== asked.amount;
  return !isOtherInvoice && !isOtherAmount;
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
