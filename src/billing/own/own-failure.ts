import { AbortedError, DeadlineExceededError, type Outcome, UnexpectedResponseError } from '../../core/errors.ts';
import type { Deadline } from '../../http/deadline.ts';
import { thrownAt } from '../../observability/thrown-at.ts';

/** A function of the application, as `billingFrom` names it, and the operation that it does. */
export interface OwnFunction {
  readonly name: 'findByPhone' | 'findByEmail' | 'findById' | 'listOpen' | 'pay' | 'listPayments' | 'refund';
  readonly operation: string;
}

/** The error for what is wrong with what a function did. Its message holds no data. */
export const functionFailure = (
  { name, operation }: OwnFunction,
  problem: string,
  { original, outcome = 'unknown' }: { readonly original?: unknown; readonly outcome?: Outcome | undefined } = {},
): UnexpectedResponseError =>
  new UnexpectedResponseError(`billingFrom: ${name}${problem}`, { operation, original, outcome });

/** The error for what a function threw of its own: it names class, file and line. Only `original` has the message. */
export const ownThrow = (own: OwnFunction, original: unknown, outcome?: Outcome): UnexpectedResponseError =>
  functionFailure(own, ` threw ${withArticle(thrownAt(original))}`, { original, outcome });

const withArticle = (words: string): string => {
  if (/^an? /.test(words)) return words;
  return `${/^[AEIOU]/i.test(words) ? 'an' : 'a'} ${words}`;
};

/** The error for a function that didn't end in its time. */
export const tooLate = (
  { name, operation }: OwnFunction,
  { budgetMs }: Deadline,
  outcome: Outcome = 'not_sent',
): DeadlineExceededError =>
  new DeadlineExceededError(`billingFrom: ${name} did not end within its ${Math.round(budgetMs)} ms`, {
    operation,
    outcome,
  });

/** The error for a function whose caller has gone. */
export const leftByCaller = ({ operation }: OwnFunction, outcome: Outcome = 'not_sent'): AbortedError =>
  new AbortedError(
    outcome === 'unknown'
      ? `${operation} was left by its caller while it went on: whether it was done is not known`
      : `${operation} was cancelled by its caller before it was done`,
    { operation, outcome },
  );
