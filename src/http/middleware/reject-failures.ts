import type { Clock } from '../../clock.ts';
import { AttemptFailedError, ClientError, type IntegrationError, UnexpectedResponseError } from '../../errors.ts';
import { maskSecrets } from '../../observability/redact.ts';
import type { Classify } from '../classify.ts';
import { parseJson } from '../json.ts';
import type { HttpRequest, Middleware } from '../request.ts';
import type { HttpResponse } from '../response.ts';
import { defaultRetryAfterMs, retryAfterMs } from '../retry-after.ts';

/**
 * Lets a 2xx pass and turns every other status into the error that `classify` says it is.
 * A redirect is an error too: following it would carry the credential to wherever the answer points.
 * Throws `ClientError`, `AttemptFailedError` and `UnexpectedResponseError`.
 */
export const rejectFailures =
  ({ classify, clock }: { classify: Classify; clock: Clock }): Middleware =>
  async (request, next) => {
    const response = await next(request);
    request.progress.status = response.status;
    if (response.status >= 200 && response.status < 300) return response;
    throw response.status < 400 ? noAnswer(request, response) : failure(request, response, { classify, clock });
  };

const failure = (
  request: HttpRequest,
  response: HttpResponse,
  { classify, clock }: { classify: Classify; clock: Clock },
): IntegrationError => {
  const { operation } = request;
  const { status } = response;
  const fields = { operation, status, requestId: response.requestId };
  const asked = retryAfterMs(response.headers, clock.wallNow());
  switch (classify(status, response.text)) {
    case 'client':
      return new ClientError(`${operation} was refused by the API with status ${status}`, {
        ...fields,
        outcome: 'rejected',
        details: detailsOf(response.text, request.progress.credential?.secrets ?? []),
      });
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
        outcome: 'unknown',
        retryAfterMs: asked,
      });
  }
};

const noAnswer = ({ operation }: HttpRequest, { status, requestId }: HttpResponse): UnexpectedResponseError => {
  // A browser's fetch hides the status of a redirect behind 0.
  const isRedirect = status === 0 || status >= 300;
  const what = isRedirect ? 'with a redirect, which is never followed' : `with status ${status}, which is no answer`;
  return new UnexpectedResponseError(`${operation} was answered ${what}`, {
    operation,
    status,
    requestId,
    outcome: 'unknown',
  });
};

const maximumDetailsLength = 8 * 1024;

/** The body for the developer: bounded, without the secrets that the API may have repeated, as JSON if it is JSON. */
const detailsOf = (text: string, secrets: readonly string[]): unknown => {
  const masked = maskSecrets(text, secrets);
  if (masked.length > maximumDetailsLength) return masked.slice(0, maximumDetailsLength);
  const parsed = jsonOrText(masked);
  if (typeof parsed !== 'object') return parsed;
  // Once more on JSON in its plain form: an escape may have hidden a secret before.
  const plain = JSON.stringify(parsed);
  const maskedAgain = maskSecrets(plain, secrets);
  return maskedAgain === plain ? parsed : jsonOrText(maskedAgain);
};

const jsonOrText = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
};
