import { ClientError, completeError, IntegrationError, InvalidArgumentError, type Outcome } from '../../core/errors.ts';
import type { OwnPayment } from '../billing-from.ts';
import type { Payment } from '../payments.ts';
import type { BoundCall } from './bound-api.ts';
import { markUnkeyed } from './unkeyed.ts';
import { type OwnFunction, functionFailure, ownThrow } from './own-failure.ts';
import { readPayment } from './read-returned.ts';

/** One run of `pay`: what it has done so far. */
export interface PayRun {
  readonly own: OwnFunction;
  /** The words that take a payment, such as `api.charge(…)`. */
  readonly endpoint: string;
  readonly calls: readonly BoundCall[];
  /** It has waited for something: before that, nothing can have been answered. */
  hasWaited: boolean;
}

/** The error, made by `make`, for a `pay` that its caller doesn't wait for any longer. */
export const unfinished = <E extends IntegrationError>(run: PayRun, make: (outcome: Outcome) => E): E => {
  // A request of its client accounts for the time.
  if (!hasPaid(run) && run.calls.some(({ state }) => state === 'pending')) return make('not_sent');
  return marked(run, make(outcomeOf(run)));
};

/** The error for what `pay` threw. The money may have moved, unless the API refused it or nothing was sent. */
export const failureOf = (run: PayRun, error: unknown): IntegrationError => {
  const { own } = run;
  // A request before the payment has failed, or an argument is wrong.
  const isBefore = !hasPaid(run) && (error instanceof InvalidArgumentError || isOfCall(run, error));
  const outcome = isBefore ? 'not_sent' : outcomeOf(run);
  if (!(error instanceof IntegrationError)) return marked(run, ownThrow(own, error, outcome));
  return isBefore || hasPaid(run) ? completeError(error, { outcome }) : unkeyed(run, error);
};

/** Returns whether a request of the client threw this, or what this was made of. */
const isOfCall = ({ calls }: PayRun, error: unknown): boolean => {
  let inner = error;
  try {
    for (let depth = 0; depth < 5 && inner !== undefined; depth++) {
      const thrown = inner;
      if (calls.some((call) => call.error === thrown)) return true;
      inner = inner instanceof Error ? inner.cause : undefined;
    }
  } catch {
    // What was thrown can't be read.
  }
  return false;
};

const hasPaid = ({ calls }: PayRun): boolean => calls.some(({ isPayment }) => isPayment);

/** Returns what became of the money. What `pay` does without its client can't be seen, so it may have moved. */
const outcomeOf = ({ calls, hasWaited }: PayRun): Outcome => {
  const states = calls.flatMap(({ isPayment, state }) => (isPayment ? [state] : []));
  if (states.some((state) => state === 'pending' || state === 'ok' || state === 'unknown')) return 'unknown';
  if (states.length > 0) return states.includes('rejected') ? 'rejected' : 'not_sent';
  return hasWaited ? 'unknown' : 'not_sent';
};

/** Without a request for the payment, whatever has charged may do it again. */
const marked = <E extends IntegrationError>(run: PayRun, error: E): E =>
  error.outcome === 'unknown' && !hasPaid(run) ? markUnkeyed(error) : error;

/** Reads what `pay` returned. An answer that its requests speak against is no answer. */
export const paymentOf = (run: PayRun, returned: unknown): Payment => {
  const { own, calls } = run;
  const last = calls.findLastIndex(({ isPayment }) => isPayment);
  const payment = calls[last];
  if (!payment && !calls.some(isAnswered)) throw unkeyed(run);
  if (calls.some(({ isPayment, state }) => isPayment && state === 'pending'))
    throw functionFailure(own, ` ended before ${run.endpoint} did: await it`);
  const answer = readOwn(own, returned);
  const wasCharged = answer.status === 'completed' || answer.status === 'pending';
  if (!payment && wasCharged) throw unkeyed(run);
  // A look-up after the payment may know more.
  const told = calls.slice(Math.max(last, 0));
  if (told.some(({ state }) => state === 'ok')) return answer;
  if (payment?.state === 'rejected' && answer.status === 'declined') throw refusalOf(payment, answer);
  if (!wasCharged && told.some(isAnswered)) return answer;
  const problem = ` returned ${answer.status}, but ${run.endpoint} failed: let its error through`;
  const outcome = payment?.state === 'not_sent' ? 'not_sent' : 'unknown';
  throw functionFailure(own, problem, { original: payment?.error, outcome });
};

/**
 * The API's refusal, in the words of `pay`. It's no answer about the payment, as a decline is: to a repetition it says
 * nothing about the first try.
 */
const refusalOf = ({ error }: BoundCall, { error_message }: Payment): unknown => {
  if (!(error instanceof ClientError)) return error;
  const { message, status, details, operation, attempts, elapsedMs, outcome, requestId, problems } = error;
  const known = { status, operation, attempts, elapsedMs, outcome, requestId, problems };
  return new ClientError(message, { ...known, details: error_message?.trim() || details });
};

const isAnswered = ({ state }: BoundCall): boolean => state === 'ok' || state === 'rejected';

/** The error for a `pay` that charges without its client. */
const unkeyed = ({ own, endpoint }: PayRun, original?: unknown): IntegrationError =>
  markUnkeyed(
    functionFailure(
      own,
      ` sent nothing through its second argument, so the payment has no idempotency key: call ${endpoint} of that argument`,
      { original },
    ),
  );

/** Takes only what says how it ended: an API's own `amount` or `status` may mean something else. */
const readOwn = (own: OwnFunction, returned: unknown): Payment & Pick<OwnPayment, 'status'> => {
  const payment = readPayment(own, returned);
  if (payment.status === 'pending') return { status: 'pending' };
  if (payment.status === 'declined') return { status: 'declined', error_message: payment.error_message };
  return { status: payment.status, confirmation_number: payment.confirmation_number };
};
