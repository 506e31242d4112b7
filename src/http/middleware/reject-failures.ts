import {
  type ApiProblem,
  AttemptFailedError,
  ClientError,
  type IntegrationError,
  UnexpectedResponseError,
} from '../../core/errors.ts';
import {
  maskSecretLooks,
  maskSecrets,
  maskSecretsInBody,
  maskStackTraces,
} from '../../observability/redaction/secrets.ts';
import type { Emitter } from '../../observability/emitter.ts';
import { maskPersonalData } from '../../observability/redaction/personal-data.ts';
import { callLog } from '../call-log.ts';
import type { IssuedCredential } from '../credential.ts';
import { classifyByStatus, type HttpDialect } from '../dialect.ts';
import { runOwn } from '../own-code.ts';
import { fieldsOf, isJsonObject, parseJson } from '../../stores/ports/json.ts';
import type { HttpRequest, HttpResponse, Middleware } from '../request.ts';
import { defaultRetryAfterMs, retryAfterMs } from '../retry-after.ts';

export interface RejectFailuresOptions {
  /** The wording of the API's answers. @defaultValue as the default API says */
  readonly dialect?: HttpDialect | undefined;
  /** The pinned version, for the message of a refusal that is about it. */
  readonly version?: string | undefined;
}

/**
 * Lets a 2xx pass, unless nothing reads it and it says that it failed. Turns every other status into the error that the
 * dialect says it is. A redirect is an error too: following it would carry the credential to wherever the answer points.
 * Throws `ClientError`, `AttemptFailedError` and `UnexpectedResponseError`.
 */
export const rejectFailures = ({ dialect = {}, version }: RejectFailuresOptions): Middleware =>
  async function rejectFailures(request, next) {
    const answer = await next(request);
    const own = { name: 'unwrap', operation: request.operation };
    const unwrapped = runOwn(own, () => dialect.unwrap?.(answer)) ?? answer;
    const isFailure = callLog(request).plan.isUnread && saysFailed(unwrapped);
    const response = isFailure ? { ...unwrapped, status: 400 } : unwrapped;
    const { status } = response;
    callLog(request).answered(status);
    if (status >= 200 && status < 300) return response;
    const problems = problemsIn(response, dialect);
    // Some APIs refuse with a 3xx that leads nowhere else, and say why.
    const isRefusal = status >= 400 || (status >= 300 && problems.length > 0);
    throw isRefusal ? failure(request, response, { dialect, version, problems }) : noAnswer(request, response);
  };

/**
 * Returns whether a success says in its body that nothing was done, for writes whose answer isn't read. The body is
 * `false`, `success` or `ok` is `false`, `error` or `errors` isn't empty, or the status is an error's. A record may have
 * the status `error`, and what says `ok: true` next to an error is done.
 */
const saysFailed = ({ status, text }: HttpResponse): boolean => {
  if (status < 200 || status >= 300 || text === '') return false;
  try {
    return isFailureIn(parseJson(text));
  } catch {
    return false;
  }
};

const isFailureIn = (json: unknown): boolean => {
  if (Array.isArray(json)) return json.some(isFailureIn);
  if (!isJsonObject(json)) return json === false;
  const { success = json['ok'], error, errors, status = json['statusCode'], ...others } = json;
  if (isNo(success)) return true;
  if (success !== undefined && success !== null) return false;
  if (isSaid(error) || isSaid(errors)) return true;
  const isRecord = 'id' in json || 'Id' in json;
  if (!isRecord && isErrorStatus(status)) return true;
  // An envelope: one object, perhaps next to a status.
  const inner = Object.values(others).filter(isJsonObject);
  return !isRecord && inner.length === 1 && isNo(fieldsOf(inner[0])['success'] ?? fieldsOf(inner[0])['ok']);
};

const isNo = (value: unknown): boolean => value === false || value === 'false' || value === 0;

const isSaid = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : !!value && value !== 'false';

const isErrorStatus = (status: unknown): boolean =>
  typeof status === 'number'
    ? status >= 400
    : typeof status === 'string' && /^(?:error|fail(?:ed|ure)?)$/i.test(status);

/** Reads the problems of an answer. A gateway's page isn't the API's JSON and has none, and the status still counts. */
const problemsIn = (response: HttpResponse, { problemsOf }: HttpDialect): readonly ApiProblem[] => {
  try {
    return (problemsOf?.(response) ?? []).filter(({ code }) => typeof code === 'string' && codeForm.test(code));
  } catch {
    return [];
  }
};

/** Codes end up in errors and events, which are logged: anything else is left out. */
const codeForm = /^[A-Za-z][A-Za-z0-9_.:-]{0,99}$/;

const failure = (
  request: HttpRequest,
  response: HttpResponse,
  {
    dialect,
    version,
    problems: found,
  }: RejectFailuresOptions & { dialect: HttpDialect; problems: readonly ApiProblem[] },
): IntegrationError => {
  const { operation } = request;
  const { status, headers } = response;
  const secrets = callLog(request).credential?.secrets ?? [];
  const problems = withoutSecrets(found, secrets);
  const codes = problems.map(({ code }) => code);
  const fields = { operation, status, requestId: response.requestId, codes };
  const now = Date.now();
  const said = dialect.retryAfterMs?.(response, now);
  // A header that isn't a number is no wait.
  const asked = said !== undefined && said >= 0 ? said : retryAfterMs(headers, now);
  if (isInProgress(request, response))
    return new AttemptFailedError(`${operation}: the API answered ${status}: it still works on this payment`, {
      ...fields,
      reason: 'server_error',
      outcome: 'unknown',
      retryAfterMs: asked,
    });
  switch ((dialect.classify ?? classifyByStatus)(status, response.text, headers)) {
    case 'client':
      return new ClientError(
        `${operation} was refused by the API with status ${status}${
          dialect.isOutdated?.(status, problems)
            ? `: it does not serve version ${version}; pin another one`
            : `${reasonOf(problems)}${hintOf(status, operation, callLog(request).credential)}`
        }`,
        { ...fields, outcome: 'rejected', details: detailsOf(response.text, secrets), problems },
      );
    case 'limited':
      return new AttemptFailedError(`${operation}: the API answered ${status}, too many requests`, {
        ...fields,
        reason: 'rate_limited',
        outcome: 'rejected',
        retryAfterMs: asked ?? defaultRetryAfterMs,
      });
    case 'transient':
      return new AttemptFailedError(`${operation}: the API failed with status ${status}`, {
        ...fields,
        reason: 'server_error',
        outcome: codes.some((code) => dialect.provesNothingDone?.includes(code)) ? 'rejected' : 'unknown',
        retryAfterMs: asked,
      });
    case 'final':
      return new UnexpectedResponseError(
        `${operation}: the API failed with status ${status}, and says that repeating it doesn't help`,
        fields,
      );
    default:
      return new UnexpectedResponseError(
        `${operation}: classify of the dialect must return 'client', 'limited', 'transient' or 'final'`,
        fields,
      );
  }
};

/**
 * Returns whether a payment's key is in use: 409, 423 and 425 to a repetition, or a 409 that says so. With a key, every
 * 423 and 425 too. Another process may have sent the first request.
 */
const isInProgress = (request: HttpRequest, { status, text }: HttpResponse): boolean => {
  const { plan, isRepetition } = callLog(request);
  if (!plan.isPayment || (status !== 409 && status !== 423 && status !== 425)) return false;
  return isRepetition() || (status === 409 ? saysInProgress.test(text) : request.effect === 'keyed-write');
};

const saysInProgress = /idempoten|(?:in|being)[\s_-]?(?:progress|process|use\b)|still[\s_-]process|concurrent/i;

/** The API's own codes and the fields they are about: `: REQUIRED_FIELD_MISSING (LastName)`. Its words may hold data. */
const reasonOf = (problems: readonly ApiProblem[]): string => {
  const reasons = problems.slice(0, mostReasons).map(({ code, fields = [] }) => {
    const names = fields.filter((field) => /^\w{1,80}$/.test(field)).slice(0, mostReasons);
    return names.length > 0 ? `${code} (${names.join(', ')})` : code;
  });
  return reasons.length > 0 ? `: ${reasons.join(', ')}` : '';
};

const mostReasons = 3;

/** Returns what to look at first. */
const hintOf = (status: number, operation: string, credential: IssuedCredential | undefined): string => {
  if (status === 401) return `: it does not take the credential${placeOf(credential)}`;
  if (status === 403) return ': the credential may not do this';
  if (status !== 404) return '';
  const field = operation.startsWith('crm.') ? ' the external-id field,' : '';
  return `: not found: check the id,${field} the base URL and the version`;
};

/** Returns where the credential was sent, and where it came from. */
const placeOf = (credential: IssuedCredential | undefined): string => {
  const headers = Object.keys(credential?.headers ?? {});
  const { variables = [] } = credential ?? {};
  const sent = headers.length > 0 ? ` in ${headers.join(' and ')}` : '';
  // In brackets: after `authorization:`, a word looks like a secret.
  return variables.length > 0 ? `${sent} (check ${variables.join(' and ')})` : sent;
};

const noAnswer = ({ operation }: HttpRequest, { status, requestId }: HttpResponse): UnexpectedResponseError => {
  // A browser's fetch hides the status of a redirect behind 0.
  const isRedirect = status === 0 || (status >= 300 && status !== 304);
  const what = isRedirect ? 'with a redirect, which is never followed' : `with status ${status}, which is no answer`;
  return new UnexpectedResponseError(`${operation} was answered ${what}`, {
    operation,
    status,
    requestId,
    outcome: 'unknown',
  });
};

const maximumMessageLength = 1_000;

const withoutSecrets = (problems: readonly ApiProblem[], secrets: readonly string[]): readonly ApiProblem[] => {
  let left = longestMasked;
  const mask = (text: string): string => {
    left -= Math.min(text.length, maximumDetailsLength);
    return left < 0 ? '[cut]' : maskText(text.slice(0, maximumDetailsLength), secrets).slice(0, maximumMessageLength);
  };
  return problems.map(({ code, message, fields, ids }) => ({
    code: mask(code),
    message: message === undefined ? undefined : mask(message),
    fields: fields?.map(mask),
    ids,
  }));
};

const maximumDetailsLength = 8 * 1024;

/** The part of a refusal in which secrets are looked for: a hostile one may be large. What is shown is far shorter. */
const longestMasked = 64 * 1024;

/** The body for the developer: bounded, without secrets, as JSON if it is JSON. */
const detailsOf = (text: string, secrets: readonly string[]): unknown => {
  if (text.length <= maximumDetailsLength) return maskSecretsInBody(jsonOrText(text), secrets);
  // Masked before it is cut, since half a secret isn't recognised.
  return maskText(text.slice(0, longestMasked), secrets).slice(0, maximumDetailsLength);
};

const maskText = (text: string, secrets: readonly string[]): string =>
  maskStackTraces(maskSecretLooks(maskSecrets(text, secrets)));

const jsonOrText = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
};

/** The version that every request is pinned to. */
export interface PinnedVersion {
  readonly version: string;
  /** The header that carries it, in lower case; without one it's part of the path. */
  readonly header?: string | undefined;
}

/**
 * Pins the API's version. Warns once per operation when the API answers in another one or announces its end
 * (`Deprecation`, RFC 9745; `Sunset`, RFC 8594).
 */
export const pinVersion = (pinned: PinnedVersion, emitter: Emitter): Middleware => {
  let warned: Set<string> | undefined;
  return async function pinVersion(request, next) {
    const response = await next(
      pinned.header ? { ...request, headers: { ...request.headers, [pinned.header]: pinned.version } } : request,
    );
    const echoed = pinned.header ? response.headers.get(pinned.header) : undefined;
    const answered = echoed === pinned.version ? undefined : echoed;
    const deprecation = response.headers.get('deprecation');
    const sunset = response.headers.get('sunset');
    const isWorthAWarning = answered !== undefined || deprecation !== undefined || sunset !== undefined;
    if (!isWorthAWarning || warned?.has(request.operation)) return response;
    (warned ??= new Set()).add(request.operation);
    const shown = (header: string) => safeHeader(header, callLog(request).credential?.secrets ?? []);
    emitter.emit({
      type: 'version-warning',
      operation: request.operation,
      pinned: pinned.version,
      callId: request.callId,
      answered: answered === undefined ? undefined : shown(answered),
      deprecation: deprecation === undefined ? undefined : shown(deprecation),
      sunset: sunset === undefined ? undefined : shown(sunset),
    });
    return response;
  };
};

const longestHeader = 100;

/** The API's own words, bounded, without what it may have repeated of the request. */
const safeHeader = (value: string, secrets: readonly string[]): string =>
  maskPersonalData(maskSecrets(value, secrets)).slice(0, longestHeader);
