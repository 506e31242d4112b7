import { type Clock, systemClock } from '../clock.ts';
import { InvalidArgumentError, isAttemptFailedError, isIntegrationError, UnexpectedResponseError } from '../errors.ts';
import { adoptTransport } from '../http/adopt-transport.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { deadlineIn } from '../http/deadline.ts';
import { assertDuration } from '../http/duration.ts';
import { parseJson } from '../http/json.ts';
import { createKyTransport } from '../http/ky-transport.ts';
import { withOwnSignal } from '../http/own-signal.ts';
import { startProgress, startSending } from '../http/progress.ts';
import type { HttpRequest, Transport } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { TokenDetails } from '../ports/token-store.ts';
import { version } from '../version.ts';
import { type ClientAuthentication, OauthAnswerError, requestToken } from './oauth.ts';
import { TokenFailure } from './token-failure.ts';

/** Where tokens come from, and how they are asked for. */
export interface TokenEndpointOptions {
  /** https, or http on loopback; without user name, query and fragment. */
  readonly tokenEndpoint: string;
  /** @defaultValue 'post' where there is a client secret, else 'none' */
  readonly clientAuthentication?: ClientAuthentication;
  /** Further form fields that the endpoint wants, such as `audience`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The field of the answer that holds the token, where it is not the standard's. @defaultValue 'access_token' */
  readonly tokenField?: string;
  /** Of one request for a token, its body included. @defaultValue 3000 */
  readonly attemptTimeoutMs?: number;
  /** Of the decompressed answer. @defaultValue 64 KiB */
  readonly maximumBodyBytes?: number;
  /** @defaultValue the platform's */
  readonly fetch?: typeof fetch;
  /** Replaces fetch altogether, such as one that shows a client certificate. */
  readonly transport?: Transport;
  readonly clock?: Clock;
}

/** What one grant sends. */
export interface GrantRequest {
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}

export interface TokenAnswer {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Absent when the endpoint did not say, or said nothing usable. */
  readonly expiresInMs?: number;
  readonly details: TokenDetails;
}

/** Asks once. Throws {@link TokenFailure}, or the signal's reason. */
export type AskForToken = (grant: GrantRequest, signal: AbortSignal) => Promise<TokenAnswer>;

/**
 * One request to a token endpoint: bounded in time and size, no redirect followed, every answer judged.
 * Throws `InvalidArgumentError` at once for an address that a secret must not be sent to.
 */
export const createTokenEndpoint = (options: TokenEndpointOptions): AskForToken => {
  const { attemptTimeoutMs = 3_000, maximumBodyBytes = 64 * 1024, tokenField = 'access_token' } = options;
  const { clock = systemClock, fetch } = options;
  const endpoint = parseBaseUrl(options.tokenEndpoint, { field: 'tokenEndpoint' }).href;
  assertDuration('attemptTimeoutMs', attemptTimeoutMs);
  if (!(maximumBodyBytes > 0)) throw new InvalidArgumentError('maximumBodyBytes', 'must be a number of bytes above 0');
  const transport = options.transport
    ? adoptTransport(options.transport)
    : createKyTransport({ maximumBodyBytes, ...(fetch ? { fetch } : {}) });

  const send = async (body: string, headers: Readonly<Record<string, string>>, outer: AbortSignal) => {
    let cancel = () => {};
    try {
      return await withOwnSignal(outer, ({ signal, abort }) => {
        cancel = clock.setTimer(() => abort(timedOut(attemptTimeoutMs)), attemptTimeoutMs);
        const deadline = deadlineIn(attemptTimeoutMs, { clock });
        const books = { progress: startProgress(clock.now()), sending: startSending() };
        return transport({ ...tokenRequest, ...books, url: endpoint, headers, body, deadline, signal, plan });
      });
    } finally {
      cancel();
    }
  };
  const plan = { lane: 'live', wholeDeadline: true, minimumBudgetMs: 0, maximumBodyBytes } as const;

  return async ({ grantType, parameters, clientId, clientSecret }, signal) => {
    const form = { ...options.parameters, ...given(parameters) };
    let answered: Readonly<Record<string, unknown>> = {};
    try {
      const token = await requestToken({
        endpoint,
        grantType,
        parameters: form,
        clientId,
        clientSecret,
        clientAuthentication: options.clientAuthentication ?? (clientSecret === undefined ? 'none' : 'post'),
        post: async ({ headers, body }) => {
          const response = await send(body, { ...headers, 'user-agent': userAgent }, signal);
          if (Buffer.byteLength(response.text) > maximumBodyBytes) throw tooLarge();
          answered = readAnswer(response, clock);
          const json = standardAnswer(answered, tokenField);
          return { status: json.access_token === undefined ? 400 : 200, json };
        },
      });
      return toTokenAnswer(token.access_token, token.refresh_token, answered, tokenField);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toTokenFailure(error, [clientSecret, ...Object.values(form)]);
    }
  };
};

const userAgent = `voice-agent-integrations/${version}`;

const tokenRequest: Pick<HttpRequest, 'operation' | 'effect' | 'method' | 'attempt'> = {
  operation: 'auth.token',
  effect: 'unsafe-write',
  method: 'POST',
  attempt: 1,
};

const given = (parameters: GrantRequest['parameters']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** The JSON object that was answered; whatever else came is a failure with a kind of its own. */
const readAnswer = (response: HttpResponse, clock: Clock): Readonly<Record<string, unknown>> => {
  const { status, headers, text } = response;
  const asked = { retryAfterMs: retryAfterMs(headers, clock.wallNow()) };
  if (status === 429) throw new TokenFailure('transient', 'rate_limited', 'asks for fewer requests', asked);
  if (status >= 500) throw new TokenFailure('transient', 'server_error', `failed with status ${status}`, asked);
  if (status === 408) throw new TokenFailure('transient', 'timeout', 'gave up with status 408', asked);
  if (status >= 300 && status < 400) throw unexpected(`answered with a redirect, status ${status}`);
  const json = parsed(text);
  const answered = typeof json === 'object' && json !== null && !Array.isArray(json) ? { ...json } : undefined;
  if (status >= 400 && !isError(answered))
    throw new TokenFailure('refused', 'refused', `refused with status ${status}`);
  if (answered) return answered;
  throw unexpected('answered with something else than a JSON object');
};

/** Not every endpoint keeps its errors to 400 and 401. */
const isError = (answered: Readonly<Record<string, unknown>> | undefined): boolean =>
  typeof answered?.error === 'string' && answered.error !== '';

const parsed = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/**
 * The answer in the words of RFC 6749: some endpoints name the token otherwise, leave its type out, answer an error with
 * a 200, or an expiry that is no number. An identity token is not asked for here and not looked at.
 */
const standardAnswer = (answered: Readonly<Record<string, unknown>>, tokenField: string): Record<string, unknown> => {
  const token = answered[tokenField];
  if (isError(answered)) return { error: answered.error };
  if (typeof token !== 'string' || token === '') return { error: noError };
  return {
    access_token: token,
    token_type: answered.token_type ?? 'bearer',
    ...(typeof answered.refresh_token === 'string' && answered.refresh_token !== ''
      ? { refresh_token: answered.refresh_token }
      : {}),
  };
};

/** No endpoint says so. */
const noError = '-';

const toTokenAnswer = (
  accessToken: string,
  refreshToken: string | undefined,
  answered: Readonly<Record<string, unknown>>,
  tokenField: string,
): TokenAnswer => {
  // It goes into a header (RFC 6750, 2.1, with the characters that real ones have beside).
  if (!/^[\x21-\x7e]{1,16384}$/.test(accessToken)) throw unexpected('answered with a token that no header can hold');
  const seconds = Number(answered.expires_in ?? Number.NaN);
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    // Longer than a year is no expiry to plan with; 0 or less is none at all.
    ...(seconds > 0 && seconds < 31_536_000 ? { expiresInMs: seconds * 1000 } : {}),
    details: detailsOf(answered, tokenField),
  };
};

/** Flat and short, and without what is or may be a secret. */
const detailsOf = (answered: Readonly<Record<string, unknown>>, tokenField: string): TokenDetails => {
  const details: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(answered)) {
    if (name === tokenField || (secretName.test(name) && name !== 'token_type')) continue;
    const isPlain = typeof value === 'number' || typeof value === 'boolean';
    if (isPlain || (typeof value === 'string' && value.length <= 2048)) details[name] = value;
  }
  return details;
};

const secretName = /token|secret|passw|signature|assertion|credential|code$|key$/i;

const toTokenFailure = (error: unknown, secrets: readonly (string | undefined)[]): unknown => {
  if (error instanceof TokenFailure) return error;
  if (error instanceof OauthAnswerError) {
    const { error: code } = error;
    if (code === undefined || code === noError)
      return unexpected('answered with neither a bearer token nor an error', error);
    const isCode = /^[\w.-]{1,64}$/.test(code) && !secrets.some((secret) => secret && code.includes(secret));
    if (code === 'temporarily_unavailable' || code === 'server_error')
      return new TokenFailure('transient', code, `failed (${code})`, { original: error });
    const reason = isCode ? code : 'refused';
    return new TokenFailure('refused', reason, `refused it (${reason})`, { original: error });
  }
  if (isAttemptFailedError(error))
    return new TokenFailure('transient', error.reason, 'could not be reached', { original: error });
  if (isIntegrationError(error) && error.code === UnexpectedResponseError.code) return tooLarge(error);
  return error;
};

const timedOut = (ms: number) => new TokenFailure('transient', 'timeout', `gave no complete answer within ${ms} ms`);

const tooLarge = (original?: unknown) => unexpected('answered with more than a token', original);

const unexpected = (what: string, original?: unknown) =>
  new TokenFailure('unexpected', 'unexpected_response', what, { original });
