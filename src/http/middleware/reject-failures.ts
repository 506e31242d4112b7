import type { Clock } from '../../clock.ts';
import {
  type ApiProblem,
  AttemptFailedError,
  ClientError,
  type IntegrationError,
  UnexpectedResponseError,
} from '../../errors.ts';
import { maskSecretsInBody } from '../../observability/mask-secrets-in-body.ts';
import { maskSecrets } from '../../observability/redact.ts';
import { maskSecretLooks } from '../../observability/secret-looks.ts';
import { maskStackTraces } from '../../observability/stack-traces.ts';
import { type CompleteHttpDialect, completeDialect, type HttpDialect } from '../dialect.ts';
import { parseJson } from '../json.ts';
import type { HttpRequest, Middleware } from '../request.ts';
import type { HttpResponse } from '../response.ts';
import { defaultRetryAfterMs } from '../retry-after.ts';

export interface RejectFailuresOptions {
  readonly clock: Clock;
  /** How the API words its answers. @defaultValue as the interface document says */
  readonly dialect?: HttpDialect | undefined;
  /** The pinned version, for the message of a refusal that is about it. */
  readonly version?: string;
}

/**
 * Lets a 2xx pass and turns every other status into the error that the dialect says it is.
 * A redirect is an error too: following it would carry the credential to wherever the answer points.
 * Throws `ClientError`, `AttemptFailedError` and `UnexpectedResponseError`.
 */
export const rejectFailures = ({ dialect, ...options }: RejectFailuresOptions): Middleware => {
  const known = { ...options, dialect: completeDialect(dialect) };
  return async (request, next) => {
    const response = known.dialect.unwrap(await next(request));
    request.progress.status = response.status;
    if (response.status >= 200 && response.status < 300) return response;
    throw isRefusal(response, known.dialect) ? failure(request, response, known) : noAnswer(request, response);
  };
};

/** Some APIs refuse with a 3xx that names no other place; whether it is one, the dialect knows. */
const isRefusal = (response: HttpResponse, { problemsOf }: CompleteHttpDialect): boolean =>
  response.status >= 400 || (response.status >= 300 && problemsOf(response).length > 0);

const failure = (
  request: HttpRequest,
  response: HttpResponse,
  { dialect, clock, version }: RejectFailuresOptions & { readonly dialect: CompleteHttpDialect },
): IntegrationError => {
  const { operation } = request;
  const { status } = response;
  const secrets = request.progress.credential?.secrets ?? [];
  const problems = dialect.problemsOf(response).map((problem) => withoutSecrets(problem, secrets));
  const codes = problems.map(({ code }) => code);
  const fields = { operation, status, requestId: response.requestId, codes };
  const asked = dialect.retryAfterMs(response, clock.wallNow());
  switch (dialect.classify(status, response.text)) {
    case 'client':
      return new ClientError(
        `${operation} was refused by the API with status ${status}${
          dialect.isOutdated(status, problems)
            ? `: it does not serve version ${version}; pin another one`
            : `${reasonOf(problems)}${hints[status] ?? ''}`
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
        outcome: codes.some((code) => dialect.provesNothingDone.includes(code)) ? 'rejected' : 'unknown',
        retryAfterMs: asked,
      });
  }
};

/** The API's own codes and the fields they are about: `: REQUIRED_FIELD_MISSING (LastName)`. Its words may hold data. */
const reasonOf = (problems: readonly ApiProblem[]): string => {
  const reasons = problems.slice(0, mostReasons).map(({ code, fields = [] }) => {
    const names = fields.filter((field) => /^\w{1,80}$/.test(field)).slice(0, mostReasons);
    return names.length > 0 ? `${code} (${names.join(', ')})` : code;
  });
  return reasons.length > 0 ? `: ${reasons.join(', ')}` : '';
};

const mostReasons = 3;

/** What to look at first. */
const hints: Readonly<Record<number, string>> = {
  401: ': it does not take the credential',
  403: ': the credential may not do this',
  404: ': nothing is there; look at the id or the external-id field, and at the base URL and the version',
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

const withoutSecrets = ({ code, message, fields, ids }: ApiProblem, secrets: readonly string[]): ApiProblem => {
  const mask = (text: string) => maskText(text, secrets);
  return {
    code: mask(code),
    ...(message === undefined ? {} : { message: mask(message).slice(0, maximumMessageLength) }),
    ...(fields === undefined ? {} : { fields: fields.map(mask) }),
    ...(ids === undefined ? {} : { ids }),
  };
};

const maximumDetailsLength = 8 * 1024;

/** The body for the developer: bounded, without secrets, as JSON if it is JSON. */
const detailsOf = (text: string, secrets: readonly string[]): unknown => {
  if (text.length <= maximumDetailsLength) return maskSecretsInBody(jsonOrText(text), secrets);
  // Masked before it is cut, since half a secret isn't recognised.
  return maskText(text, secrets).slice(0, maximumDetailsLength);
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
