import type { ApiProblem } from '../core/errors.ts';
import type { HttpResponse } from './request.ts';

/**
 * The way in which one API words a refusal, a limit, or a version that it no longer serves. A plain object: everything
 * that it leaves out is as in the default API.
 */
export interface HttpDialect {
  /**
   * Returns the real answer, where an API puts it into an envelope: a 200 about a batch that was refused. Must not
   * throw. @defaultValue the answer as it is
   */
  readonly unwrap?: ((response: HttpResponse) => HttpResponse) | undefined;
  /**
   * Returns the meaning of an answer that is no success. `transient` also makes a 4xx worth repeating. A write may then
   * have been done, unless its code is in `provesNothingDone`.
   * @defaultValue 429 limits, 408 and 5xx are transient, every other 4xx is final
   */
  readonly classify?: Classify | undefined;
  /**
   * Returns what the API says was wrong, the most important first: `codes` and `problems` of errors. It gets any answer,
   * also a gateway's page: when it throws, nothing is read. @defaultValue nothing is read
   */
  readonly problemsOf?: ((response: HttpResponse) => readonly ApiProblem[]) | undefined;
  /** Codes after which it is certain that nothing was done, whatever the status. @defaultValue none */
  readonly provesNothingDone?: readonly string[] | undefined;
  /**
   * Returns how long an answer asks to wait, in milliseconds. `undefined`: it does not say, and `Retry-After` is read.
   * `wallNow` is milliseconds since 1970. @defaultValue `Retry-After` alone
   */
  readonly retryAfterMs?: ((response: HttpResponse, wallNow: number) => number | undefined) | undefined;
  /**
   * Returns how long a success says that no request is left, in milliseconds. The rate limiter then waits as after a 429.
   * `wallNow` is milliseconds since 1970. @defaultValue nothing is read
   */
  readonly usedUpForMs?: ((headers: ReadonlyMap<string, string>, wallNow: number) => number | undefined) | undefined;
  /**
   * A limit that some requests have of their own, such as searches. They keep both; with `rateLimit: false` none.
   * @defaultValue none
   */
  readonly searchLimit?:
    | {
        readonly limit: number;
        readonly perMs: number;
        readonly isSearch: (request: { readonly method: string; readonly url: string }) => boolean;
      }
    | undefined;
  /** Sent with every request, such as the account that it's about. Names in lower case. @defaultValue none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Returns what the API says was spent of its budget, which it may do on every answer. @defaultValue nothing is read */
  readonly usageOf?: ((headers: ReadonlyMap<string, string>) => ApiUsage | undefined) | undefined;
  /** Returns whether it refused because it no longer serves the pinned version. @defaultValue never */
  readonly isOutdated?: ((status: number, problems: readonly ApiProblem[]) => boolean) | undefined;
}

/** Requests of one period, as the API counts them: also those of other applications. */
export interface ApiUsage {
  readonly used: number;
  readonly limit: number;
}

/**
 * The meaning of an answer that is no success. `client`: the request is wrong, and repeating it is pointless.
 * `limited`: too many requests; wait and repeat. `transient`: the API failed; repeating may help. `final`: the API failed
 * and says that repeating doesn't help; what it was asked to do may be done.
 */
export type Classification = 'client' | 'limited' | 'transient' | 'final';

/** Reads the meaning from the status and, where the status is not enough, from the body and the headers. */
export type Classify = (status: number, text: string, headers: ReadonlyMap<string, string>) => Classification;

/** The rule of the default API: 429 limits, 408 and 5xx are transient, every other 4xx is final. */
export const classifyByStatus = (status: number): Classification => {
  if (status === 429) return 'limited';
  // A gateway answers 408 after it has passed a request on: a write may be done.
  return status >= 500 || status === 408 ? 'transient' : 'client';
};
