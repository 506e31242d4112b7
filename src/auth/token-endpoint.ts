import { AttemptFailedError, InvalidArgumentError, UnexpectedResponseError } from '../core/errors.ts';
import { oneOf, type OptionNames } from '../core/option-checks.ts';
import { adoptTransport } from '../http/adopt-transport.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { deadlineIn } from '../http/deadline.ts';
import { classifyByStatus } from '../http/dialect.ts';
import { fieldsOf as fieldsOfJson, isJsonObject, parseJson } from '../stores/ports/json.ts';
import { createKyTransport } from '../http/ky-transport.ts';
import type { HttpRequest, HttpResponse, Transport } from '../http/request.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { TokenDetails } from '../stores/ports/token-store.ts';
import { assertDuration, settleWithin } from '../core/timers.ts';
import { version } from '../core/version.ts';
import { type ClientAuthentication, type IssuedToken, requestToken, TokenFailure } from './oauth.ts';

/** Options of requests for tokens. */
export interface TokenEndpointOptions {
  /** https, or http on loopback; without user name, query and fragment. */
  readonly tokenEndpoint: string;
  /** @defaultValue 'post' where there is a client secret, else 'none' */
  readonly clientAuthentication?: ClientAuthentication | undefined;
  /** Further form fields that the endpoint wants, such as `audience`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** The field of the answer that holds the token, where it is not the standard's. @defaultValue 'access_token' */
  readonly tokenField?: string | undefined;
  /** The life of a token whose answer doesn't say, in milliseconds. @defaultValue until it's refused */
  readonly assumedLifetimeMs?: number | undefined;
  /** The time for one request, its body included. @defaultValue 3000 */
  readonly attemptTimeoutMs?: number | undefined;
  /** The limit of the decompressed answer. @defaultValue 64 KiB */
  readonly maximumBodyBytes?: number | undefined;
  /** @defaultValue the platform's */
  readonly fetch?: typeof fetch | undefined;
  /** Replaces fetch altogether, such as one that shows a client certificate. */
  readonly transport?: Transport | undefined;
}

/** The names of {@link TokenEndpointOptions}. */
export const tokenEndpointNames: OptionNames<TokenEndpointOptions> = {
  tokenEndpoint: true,
  clientAuthentication: true,
  parameters: true,
  tokenField: true,
  assumedLifetimeMs: true,
  attemptTimeoutMs: true,
  maximumBodyBytes: true,
  fetch: true,
  transport: true,
};

/** The form of one grant. */
export interface GrantRequest {
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}

export interface TokenAnswer {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Absent when neither the endpoint nor the application says it. */
  readonly expiresInMs?: number | undefined;
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
  const { fetch, assumedLifetimeMs } = options;
  const endpoint = parseBaseUrl(options.tokenEndpoint, { field: 'tokenEndpoint' }).href;
  oneOf(options.clientAuthentication, 'clientAuthentication', ['basic', 'post', 'none'])();
  assertDuration('attemptTimeoutMs', attemptTimeoutMs);
  if (assumedLifetimeMs !== undefined) assertDuration('assumedLifetimeMs', assumedLifetimeMs);
  if (!(maximumBodyBytes > 0)) throw new InvalidArgumentError('maximumBodyBytes', 'must be a number of bytes above 0');
  const transport = options.transport
    ? adoptTransport(options.transport)
    : createKyTransport({ maximumBodyBytes, fetch });

  const send = (body: string, headers: Readonly<Record<string, string>>, outer: AbortSignal) => {
    const deadline = deadlineIn(attemptTimeoutMs);
    const request = { ...tokenRequest, url: endpoint, headers, body, deadline, maximumBodyBytes };
    return settleWithin((signal) => transport({ ...request, signal }), {
      signal: outer,
      deadline,
      late: () => timedOut(attemptTimeoutMs),
    });
  };

  return async ({ grantType, parameters, clientId, clientSecret }, signal) => {
    try {
      const token = await requestToken({
        endpoint,
        grantType,
        parameters: { ...options.parameters, ...fieldsOf(parameters) },
        clientId,
        clientSecret,
        clientAuthentication: options.clientAuthentication ?? (clientSecret === undefined ? 'none' : 'post'),
        fetch: async (body, headers) => {
          const answer = await send(body, { ...headers, 'user-agent': userAgent }, signal);
          const failure = failureOfStatus(answer.status, retryAfterMs(answer.headers, Date.now()));
          if (failure) throw failure;
          if (Buffer.byteLength(answer.text) > maximumBodyBytes) throw tooLarge();
          return toResponse(answer, tokenField);
        },
      });
      return toTokenAnswer(token, assumedLifetimeMs);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toTokenFailure(error);
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

const fieldsOf = (parameters: GrantRequest['parameters']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** Returns the failure that a status means. Other statuses are read as an answer, and no redirect is followed. */
const failureOfStatus = (status: number, askedMs?: number): TokenFailure | undefined => {
  const asked = { retryAfterMs: askedMs };
  const meaning = classifyByStatus(status);
  if (meaning === 'limited') return new TokenFailure('transient', 'rate_limited', 'asks for fewer requests', asked);
  if (status === 408) return new TokenFailure('transient', 'timeout', 'gave up with status 408', asked);
  if (meaning === 'transient')
    return new TokenFailure('transient', 'server_error', `failed with status ${status}`, asked);
  if (status >= 300 && status < 400) return unexpected(`answered with a redirect, status ${status}`);
  return undefined;
};

/**
 * Makes the answer that oauth4webapi takes, as RFC 6749 allows it. Some endpoints name the token or its type otherwise,
 * or leave the type out. Some answer an error with a 200, have an expiry that's no number, or call JSON something else.
 * An identity token isn't requested and not read.
 */
const toResponse = ({ status, text }: HttpResponse, tokenField: string): Response => {
  const headers = { 'content-type': 'application/json' };
  const answered = fieldsIn(text, tokenField);
  if (!answered) return new Response(text, { status: status < 300 ? 200 : status, headers });
  const { id_token: _, ...fields } = answered;
  const { expires_in: expiry, token_type: type } = fields;
  const seconds = typeof expiry === 'number' || typeof expiry === 'string' ? Number(expiry) : Number.NaN;
  const json = {
    ...fields,
    access_token: fields[tokenField] === '' ? undefined : fields[tokenField],
    token_type: typeof type === 'string' && bearer.test(type) ? 'bearer' : (type ?? 'bearer'),
    refresh_token: fields.refresh_token === '' ? undefined : (fields.refresh_token ?? undefined),
    // Longer than a year is no expiry to plan with; 0 or less is none at all.
    expires_in: seconds > 0 && seconds < 31_536_000 ? seconds : undefined,
    scope: typeof fields.scope === 'string' ? fields.scope : undefined,
  };
  const isError = typeof fields.error === 'string' && fields.error !== '';
  return Response.json(json, { status: status >= 400 ? status : isError ? 400 : 200, headers });
};

/** Some say `BearerToken` or `jwt-bearer`. Without a type it's a bearer token, says nearly every client. */
const bearer = /^(?:bearer.*|.*bearer|)$/i;

/** The fields of an answer, which some endpoints put into an object of their own or send as a form. */
const fieldsIn = (text: string, tokenField: string): Readonly<Record<string, unknown>> | undefined => {
  const fields = parsed(text);
  if (!fields || tokenField in fields || 'error' in fields) return fields;
  const inner = Object.values(fields).filter((value) => isJsonObject(value) && tokenField in value);
  return inner.length === 1 ? { ...fields, ...fieldsOfJson(inner[0]) } : fields;
};

const parsed = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const json = parseJson(text);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return form.test(text) ? Object.fromEntries(new URLSearchParams(text)) : undefined;
  }
};

const form = /^[\w.-]+=[^\s<>{}]*$/;

const toTokenAnswer = (token: IssuedToken, assumedLifetimeMs: number | undefined): TokenAnswer => {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = token;
  // It goes into a header (RFC 6750, 2.1, plus other characters that real tokens contain).
  if (!/^[\x21-\x7e]{1,16384}$/.test(accessToken)) throw unexpected('answered with a token that no header can hold');
  return {
    accessToken,
    refreshToken,
    expiresInMs: seconds === undefined ? assumedLifetimeMs : seconds * 1000,
    details: detailsOf(token),
  };
};

/** Flat and short, and without what is or may be a secret. */
const detailsOf = (token: IssuedToken): TokenDetails => {
  const details: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(token)) {
    if (secretName.test(name)) continue;
    const isPlain = typeof value === 'number' || typeof value === 'boolean';
    if (isPlain || (typeof value === 'string' && value.length <= 2048)) details[name] = value;
  }
  return details;
};

const secretName = /token|secret|passw|signature|assertion|credential|code$|key$/i;

const toTokenFailure = (error: unknown): unknown => {
  if (error instanceof AttemptFailedError)
    return new TokenFailure('transient', error.reason, 'could not be reached', { original: error });
  // A transport stops at the limit whatever the status: an error page may be long.
  if (error instanceof UnexpectedResponseError) return failureOfStatus(error.status ?? 200) ?? tooLarge(error);
  return error;
};

const timedOut = (ms: number) => new TokenFailure('transient', 'timeout', `gave no complete answer within ${ms} ms`);

const tooLarge = (original?: unknown) => unexpected('answered with more than a token', original);

const unexpected = (what: string, original?: unknown) =>
  new TokenFailure('unexpected', 'unexpected_response', what, { original });
