import { IntegrationError, UnexpectedResponseError } from '../core/errors.ts';
import { thrownAt } from '../observability/thrown-at.ts';
import { JsonError } from '../stores/ports/json.ts';
import { ShapeError } from '../core/schema.ts';

/** The function of the application that runs: `answer` of `billing.customers.find`, before or after the request. */
export interface OwnCode {
  readonly name: string;
  readonly operation: string;
  /** @defaultValue true */
  readonly isSent?: boolean | undefined;
}

/** Runs a function that the application wrote for an operation. Throws {@link ownError}. */
export const runOwn = <Result>(own: OwnCode, run: () => Result | Promise<Result>): Result => {
  let result: Result | Promise<Result>;
  try {
    result = run();
  } catch (error) {
    throw ownError(own, error);
  }
  if (!(result instanceof Promise)) return result;
  result.catch(() => {});
  throw ownFailure(own, 'returned a promise: it must not be async');
};

/**
 * The error for what a function of the application threw. It names class, file and line: the message may repeat data, so
 * only `original` has it.
 */
export const ownError = (own: OwnCode, error: unknown): unknown =>
  isKnown(error) ? error : ownFailure(own, `threw ${thrownAt(error)}`, error);

/** The error for what is wrong with what a function of the application did. */
export const ownFailure = ({ name, operation, isSent = true }: OwnCode, problem: string, original?: unknown) =>
  new UnexpectedResponseError(`your ${name}() of ${operation} ${problem}`, {
    operation,
    original,
    outcome: isSent ? 'unknown' : 'not_sent',
  });

/** Returns whether this package wrote the message of an error. */
export const isKnown = (error: unknown): error is Error =>
  error instanceof IntegrationError || error instanceof ShapeError || error instanceof JsonError;
