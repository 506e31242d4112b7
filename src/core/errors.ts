/**
 * The effect of a whole call on the other system, as far as it's known.
 * `not_sent`: no byte left. `rejected`: the API said no. `unknown`: it may have happened.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown';

/** The reason why a call that was sent ended without an answer. */
export type ExhaustedReason =
  | 'network'
  | 'timeout'
  | 'rate_limited'
  | 'server_error'
  | 'deadline'
  | 'retry_budget'
  /** An earlier call with the same key may have done it, and this API would do it twice. */
  | 'may_be_done'
  /** This and those below kept a further attempt from being sent. */
  | 'circuit_open'
  | 'rate_limit_wait'
  | 'quota'
  | 'authentication';

/** A problem that an API names, in its own words. */
export interface ApiProblem {
  /** Such as `DUPLICATES_DETECTED`. */
  readonly code: string;
  /** May hold personal data: for developers, not for logs. */
  readonly message?: string | undefined;
  /** The fields it is about. */
  readonly fields?: readonly string[] | undefined;
  /** The records it names: the one that is there already, or that another one was merged into. */
  readonly ids?: readonly string[] | undefined;
}

/** The fields of every error of this package, as {@link IntegrationError} describes it. All of it is safe to log. */
export interface IntegrationErrorFields {
  readonly operation?: string | undefined;
  readonly attempts?: number | undefined;
  readonly elapsedMs?: number | undefined;
  readonly outcome?: Outcome | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly codes?: readonly string[] | undefined;
  readonly cause?: unknown;
}

const brand = Symbol.for('voice-agent-integrations.error');

/** Reads what was thrown, which may be anything, such as a proxy that throws itself. */
const isBranded = (value: unknown): value is IntegrationError => {
  try {
    return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
  } catch {
    return false;
  }
};

/**
 * The base of every error that this package throws. Holds no request, no credential and no personal data.
 * `instanceof` works across two installed copies of the package, and `code` narrows.
 *
 * @example
 * if (error instanceof IntegrationError) logger.warn({ error, help: error.help }, `${error.operation}: ${error.code}`);
 */
export abstract class IntegrationError extends Error {
  /** The code of the class; it's stable, to branch on and to count by. */
  abstract readonly code: string;
  /** The page of the installed package that explains this error and says what to do. */
  readonly help: string;
  /** The operation that failed, such as `billing.payments.create`. */
  readonly operation: string;
  /** The number of requests that were handed to the network. */
  readonly attempts: number;
  /** The time from the call to its end, waits included. */
  readonly elapsedMs: number;
  /** The effect of the whole call, all its attempts included. */
  readonly outcome: Outcome;
  /** The id that the API gave its last answer, for its support team. */
  declare readonly requestId?: string;
  /** The time to wait before the same call may work. */
  declare readonly retryAfterMs?: number;
  /** The key that was sent; repeating the call with it is safe. */
  declare readonly idempotencyKey?: string;
  /** The API's own codes for what was wrong, where its dialect reads them: the most important first. */
  declare readonly codes?: readonly string[];

  constructor(message: string, fields: IntegrationErrorFields = {}) {
    super(message, fields.cause === undefined ? undefined : { cause: toSafeCause(fields.cause) });
    this.name = new.target.name;
    this.help = `node_modules/voice-agent-integrations/docs/errors.md#${(new.target as { readonly code?: string }).code ?? ''}`;
    this.operation = fields.operation ?? '';
    this.attempts = fields.attempts ?? 0;
    this.elapsedMs = fields.elapsedMs ?? 0;
    this.outcome = fields.outcome ?? 'not_sent';
    const { requestId, retryAfterMs, idempotencyKey, codes = [] } = fields;
    completeError(this, { requestId, retryAfterMs, idempotencyKey, codes: codes.length > 0 ? codes : undefined });
  }

  get [brand](): true {
    return true;
  }

  /** Returns what `JSON.stringify` shows: the fields above and the message, never a stack or a body. */
  toJSON(): Record<string, unknown> {
    const cause = this.cause;
    return {
      ...(this as object),
      name: this.name,
      message: this.message,
      cause: cause instanceof Error ? jsonOf(cause) : undefined,
    };
  }

  static override [Symbol.hasInstance](this: abstract new (...args: never) => unknown, value: unknown): boolean {
    if (!isBranded(value)) return false;
    const code = (this as { code?: string }).code;
    return code === undefined || value.code === code;
  }
}

// The code is written twice in each class: bundlers rename a class that names itself in its body, and so its errors.

const jsonOf = (cause: Error): object =>
  isBranded(cause) ? cause.toJSON() : { name: cause.name, message: cause.message };

/**
 * The API refused the request: a 4xx other than 429.
 *
 * @example
 * if (error instanceof ClientError) console.error(error.status, error.details); // no log prints details by itself
 */
export class ClientError extends IntegrationError {
  static readonly code = 'client_error';
  readonly code = 'client_error';
  readonly status: number;
  /** The body of the answer, bounded, secrets masked. Not enumerable, so that no log prints it by accident. */
  declare readonly details: unknown;
  /** The same as `codes`, with messages, fields and ids. Empty where the dialect reads none. Not enumerable either. */
  declare readonly problems: readonly ApiProblem[];

  constructor(
    message: string,
    fields: IntegrationErrorFields & {
      status: number;
      details?: unknown;
      problems?: readonly ApiProblem[] | undefined;
    },
  ) {
    super(message, { outcome: 'rejected', codes: fields.problems?.map(({ code }) => code), ...fields });
    this.status = fields.status;
    hide(this, { details: fields.details, problems: fields.problems ?? [] });
  }
}

/**
 * Requests were sent, and none of them brought an answer in time. `cause` is the last failure.
 *
 * @example
 * if (error instanceof RetriesExhaustedError && error.reason === 'rate_limited') tryAgainIn(error.retryAfterMs);
 */
export class RetriesExhaustedError extends IntegrationError {
  static readonly code = 'max_retries_exceeded';
  readonly code = 'max_retries_exceeded';
  readonly reason: ExhaustedReason;

  constructor(message: string, fields: IntegrationErrorFields & { reason: ExhaustedReason }) {
    super(message, fields);
    this.reason = fields.reason;
  }
}

/**
 * There was no time left to send anything.
 *
 * @example
 * if (error instanceof DeadlineExceededError) say('That takes a little longer. One moment, please.');
 */
export class DeadlineExceededError extends IntegrationError {
  static readonly code = 'deadline_exceeded';
  readonly code = 'deadline_exceeded';
}

/**
 * Nothing was sent: the API has been failing, and the circuit breaker is open.
 *
 * @example
 * if (error instanceof CircuitOpenError) tryAgainIn(error.retryAfterMs);
 */
export class CircuitOpenError extends IntegrationError {
  static readonly code = 'circuit_open';
  readonly code = 'circuit_open';
}

/**
 * Nothing was sent: the wait for a place under the rate limit does not fit into the deadline.
 *
 * @example
 * // In a rate limiter of your own, where the wait is longer than `maxWaitMs`.
 * throw new RateLimitedError('no place is free in time', { retryAfterMs });
 */
export class RateLimitedError extends IntegrationError {
  static readonly code = 'rate_limited';
  readonly code = 'rate_limited';
}

/**
 * Nothing was sent: the budget of calls for this period is spent.
 *
 * @example
 * if (error instanceof QuotaExceededError) pager.send(`${error.operation}: the quota of this period is spent`);
 */
export class QuotaExceededError extends IntegrationError {
  static readonly code = 'quota_exceeded';
  readonly code = 'quota_exceeded';
}

/**
 * Nothing was sent: no credential was available.
 *
 * @example
 * if (error instanceof AuthenticationError && error.reason === 'invalid_grant') askToConnectAgain(tenantId);
 */
export class AuthenticationError extends IntegrationError {
  static readonly code = 'authentication_failed';
  readonly code = 'authentication_failed';
  /** The reason, where a token endpoint was asked: its own code, such as `invalid_grant` (RFC 6749, 5.2), or `network`. */
  declare readonly reason?: string;
  /** The error of the credential source. Not enumerable: it may hold a secret. */
  declare readonly original: unknown;

  constructor(message: string, fields: IntegrationErrorFields & { reason?: string; original?: unknown } = {}) {
    super(message, { cause: fields.original, ...fields });
    if (fields.reason !== undefined) this.reason = fields.reason;
    hide(this, { original: fields.original });
  }
}

/**
 * The answer is a 2xx that the API doesn't promise, a redirect, or too large. Or your own function failed, or your own
 * middleware after the request was sent.
 *
 * @example
 * if (error instanceof UnexpectedResponseError && error.status === 302) console.error('Check the base address.');
 */
export class UnexpectedResponseError extends IntegrationError {
  static readonly code = 'unexpected_response';
  readonly code = 'unexpected_response';
  declare readonly status?: number;
  /** The error that your own function or middleware threw. Not enumerable: it may contain data or a secret. */
  declare readonly original: unknown;

  constructor(
    message: string,
    fields: IntegrationErrorFields & {
      status?: number | undefined;
      original?: unknown;
    },
  ) {
    super(message, { outcome: 'unknown', cause: fields.original, ...fields });
    if (fields.status !== undefined) this.status = fields.status;
    hide(this, { original: fields.original });
  }
}

/**
 * Several records match where one is meant, and none was taken.
 *
 * @example
 * if (error instanceof AmbiguousError) say(`${error.count} accounts have these details. A colleague can help you.`);
 */
export class AmbiguousError extends IntegrationError {
  static readonly code = 'ambiguous';
  readonly code = 'ambiguous';
  /** The number of records that match, as far as they were read. */
  readonly count: number;
  /** The error of your own `choose`: what it threw, or that it took too long. Not enumerable: it may contain data. */
  declare readonly original: unknown;

  constructor(count: number, fields: IntegrationErrorFields & { original?: unknown } = {}) {
    const { operation = 'a look-up', original } = fields;
    const words = `${operation}: ${count > 1 ? count : '1 or more'} records match where one is meant`;
    super(original === undefined ? words : `${words}, and choose did not decide`, {
      outcome: 'rejected',
      cause: original,
      ...fields,
    });
    this.count = count;
    hide(this, { original });
  }
}

/** A wrong argument or option. */
export interface ArgumentProblem {
  /** The path of the wrong field, such as `amount` or `messaging.adminId`. */
  readonly field: string;
  /** The problem, in words that follow the field's name: `must be greater than 0`. */
  readonly problem: string;
}

interface InvalidArgumentFields extends IntegrationErrorFields {
  readonly more?: readonly ArgumentProblem[];
  /** @defaultValue each field with its problem */
  readonly message?: string;
}

/**
 * An argument is wrong, or one or several options are. Nothing was sent. The message never repeats a value.
 *
 * @example
 * if (error instanceof InvalidArgumentError) ask(`The ${error.field} ${error.problem}.`);
 */
export class InvalidArgumentError extends IntegrationError {
  static readonly code = 'invalid_argument';
  readonly code = 'invalid_argument';
  /** The path of the wrong field, such as `amount` or `messaging.adminId`; the first of `problems`. */
  readonly field: string;
  /** The problem, in words that follow the field's name: `must be greater than 0`. */
  readonly problem: string;
  /** All that is wrong: options are checked to the end. */
  readonly problems: readonly ArgumentProblem[];

  constructor(field: string, problem: string, { more = [], message, ...fields }: InvalidArgumentFields = {}) {
    const problems = [{ field, problem }, ...more];
    const words = problems.map((one) => `${one.field} ${one.problem}`).join('; ');
    super(message ?? `${fields.operation ? `${fields.operation}: ` : ''}${words}`, fields);
    this.field = field;
    this.problem = problem;
    this.problems = problems;
  }
}

/**
 * The caller's own signal ended the call.
 *
 * @example
 * if (error instanceof AbortedError && error.outcome === 'unknown') settleLater(error.idempotencyKey);
 */
export class AbortedError extends IntegrationError {
  static readonly code = 'aborted';
  readonly code = 'aborted';
}

/**
 * A queue or store could not keep or read something. `unknown`: it may have been kept; repeating it with the same id is
 * safe.
 *
 * @example
 * // In a queue of your own, when the database could not be reached before anything was written.
 * throw new StoreError('queue.enqueue: the database cannot be reached', { outcome: 'not_sent', cause });
 */
export class StoreError extends IntegrationError {
  static readonly code = 'store_failed';
  readonly code = 'store_failed';
}

/**
 * Nothing was done: a tenant was not available. `unknown`: there is no such tenant. `resolve_failed`: its options
 * could not be resolved or cannot work. `too_many`: as many tenants are in use as are allowed. `closed`: the tenants
 * were closed, or this use of one is over.
 *
 * @example
 * if (error instanceof TenantUnavailableError && error.reason === 'unknown') response.status = 404;
 */
export class TenantUnavailableError extends IntegrationError {
  static readonly code = 'tenant_unavailable';
  readonly code = 'tenant_unavailable';
  readonly reason: 'unknown' | 'resolve_failed' | 'too_many' | 'closed';
  readonly tenant: string;
  /** The error of `resolve`. Not enumerable: it may hold a secret. */
  declare readonly original: unknown;

  constructor(
    message: string,
    fields: IntegrationErrorFields & {
      reason: TenantUnavailableError['reason'];
      tenant: string;
      original?: unknown;
    },
  ) {
    super(message, { cause: fields.original, ...fields });
    this.reason = fields.reason;
    this.tenant = fields.tenant;
    hide(this, { original: fields.original });
  }
}

/**
 * A request failed. It's the `cause` of a {@link RetriesExhaustedError}.
 *
 * @example
 * // In a transport of your own, when the connection was refused.
 * throw new AttemptFailedError('the connection was refused', { reason: 'network', outcome: 'not_sent', cause });
 */
export class AttemptFailedError extends IntegrationError {
  static readonly code = 'attempt_failed';
  readonly code = 'attempt_failed';
  readonly reason: 'network' | 'timeout' | 'rate_limited' | 'server_error';
  declare readonly status?: number;
  /** The system's name for a network failure, such as `ECONNRESET`. */
  declare readonly networkCode?: string;

  constructor(
    message: string,
    fields: IntegrationErrorFields & {
      reason: AttemptFailedError['reason'];
      status?: number | undefined;
      networkCode?: string | undefined;
    },
  ) {
    super(message, fields);
    this.reason = fields.reason;
    if (fields.status !== undefined) this.status = fields.status;
    if (fields.networkCode !== undefined) this.networkCode = fields.networkCode;
  }
}

/** Something that `integration.check` found. */
export interface Finding {
  /** The part of the integration, such as `billing` or `store`. */
  readonly part: string;
  /** The matter itself. */
  readonly problem: string;
  /** The advice. */
  readonly help: string;
}

/**
 * Something has to be fixed by a person before a call comes. The message has each problem in a line of its own: its part, the
 * problem, and what to do.
 *
 * @example
 * if (error instanceof NotReadyError) console.error(error.message);
 */
export class NotReadyError extends IntegrationError {
  static readonly code = 'not_ready';
  readonly code = 'not_ready';
  /** Findings that a person has to fix. */
  readonly problems: readonly Finding[];
  /** Findings about parts that work and could be better, or don't answer right now. */
  readonly notes: readonly Finding[];

  constructor(problems: readonly Finding[], notes: readonly Finding[] = []) {
    super(problems.map(({ part, problem, help }) => `${part}: ${problem}: ${help}`).join('\n'));
    this.problems = problems;
    this.notes = notes;
  }
}

/** Writes what is known of the whole call onto an error that one of its parts threw. */
export const completeError = <E extends IntegrationError>(error: E, fields: IntegrationErrorFields): E => {
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) Object.defineProperty(error, name, { value, enumerable: true, configurable: true });
  }
  return error;
};

/** Sets fields that no log prints by accident: they aren't enumerable. */
const hide = (error: Error, fields: object): void => {
  for (const [name, value] of Object.entries(fields)) Object.defineProperty(error, name, { value, enumerable: false });
};

/** Foreign errors may hold requests, tokens or addresses: only their name and system code are kept. */
const toSafeCause = (cause: unknown): Error => {
  if (isBranded(cause)) return cause;
  const safe = new Error(wordsOfForeign(cause));
  delete safe.stack;
  return safe;
};

const wordsOfForeign = (cause: unknown): string => {
  try {
    if (!(cause instanceof Error)) return typeof cause;
    const { name, code }: NodeJS.ErrnoException = cause;
    return typeof code === 'string' ? `${name} (${code})` : name;
  } catch {
    return 'Error';
  }
};

const onlyRead = Symbol.for('voice-agent-integrations.read');

/** Notes on an error whether its call only reads. Then, whatever its `outcome`, it changed nothing. */
export const markRead = <E extends IntegrationError>(error: E, value: boolean): E =>
  Object.defineProperty(error, onlyRead, { value, configurable: true });

/** Returns whether what failed may be done again: nothing happened, only a read failed, or the API knows the error's key. */
export const isSafeToRepeat = (error: unknown): boolean =>
  error instanceof IntegrationError &&
  (error.outcome !== 'unknown' || error.idempotencyKey !== undefined || Reflect.get(error, onlyRead) === true);
