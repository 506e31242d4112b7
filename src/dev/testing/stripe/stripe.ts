import { withoutUndefined } from '../../../core/without-undefined.ts';
import { createKeptAnswers } from '../kept-answers.ts';
import { parseRequest } from '../parse-request.ts';
import { type ApiContext, type FakeApi, faultAnswer, type Performed, refusalAnswer } from '../pipeline.ts';
import { Refused } from '../refused.ts';
import { createRequestWindow } from '../request-window.ts';
import { type BillingStore, createBillingStore } from '../store/billing.ts';
import type { StripeEndpoint } from './endpoint.ts';
import { stripeEndpoints } from './endpoints.ts';
import { type FormValue, readForm } from './form.ts';
import type { FakeStripeOptions } from './options.ts';

/**
 * An account of Stripe. It admits a request by key, version, account, content type and endpoint, in this order, then looks
 * at its idempotency key and its parameters.
 */
export const createStripeApi = (
  options: FakeStripeOptions,
  { store, isAccepted, onEffect }: ApiContext & { readonly store: BillingStore },
): FakeApi => {
  const { version = '2026-10-28.endive', searchDelayMs = 60_000, pageSize = Infinity, account } = options;
  const endpoints = stripeEndpoints({ searchDelayMs, pageSize });
  const window = options.rateLimit ? createRequestWindow(options.rateLimit) : undefined;
  const searchWindow = options.rateLimit === false ? undefined : createRequestWindow({ limit: 20, perMs: 1000 });
  /** Stripe keeps the first answer, a refused or failed one too. */
  const kept = createKeptAnswers({
    forMs: 24 * 60 * 60_000,
    conflict: () =>
      new Refused(
        400,
        '',
        'Keys for idempotent requests can only be used with the same parameters they were first used with.',
        { more: { type: 'idempotency_error' } },
      ),
  });
  /** The data of every other account. */
  const nothing = createBillingStore({ paymentRule: () => 'completed' });

  return {
    api: 'billing',
    credentialHeader: 'authorization',
    contentType: 'application/json',
    latencyMs: options.latencyMs,
    bodies: options.bodies,
    errorBody,
    faultRefusal,
    meter: {
      count: (path) => {
        if ((window?.take(performance.now()) ?? 0) > 0)
          throw new Refused(429, 'rate_limit', 'Request rate limit exceeded.');
        if (searchWindow && path === '/v1/customers/search' && searchWindow.take(performance.now()) > 0)
          throw new Refused(429, 'rate_limit', 'Search rate limit exceeded.');
      },
    },
    read: (request) => {
      const { method, headers } = request;
      const { path, credential } = parseRequest(request, 'authorization');
      const at = request.url.indexOf('?');
      const form = readForm(request.body);
      const params = method === 'GET' ? readForm(at < 0 ? '' : request.url.slice(at + 1)) : form;
      const endpoint = endpoints.find((one) => one.path.test(path) && one.method === method);
      const idempotencyKey = method === 'POST' ? headers['idempotency-key'] : undefined;

      const work = (meant: StripeEndpoint): Performed => {
        try {
          const body = meant.answer({
            store: headers['stripe-account'] === account ? store : nothing,
            id: decodeURIComponent(meant.path.exec(path)?.[1] ?? ''),
            params,
            idempotencyKey: idempotencyKey ?? '',
          });
          const executed = method === 'POST';
          if (executed) onEffect(meant.operation, idempotencyKey);
          return { answer: { status: 200, body }, executed, replayed: false };
        } catch (error) {
          return { answer: refusalAnswer({ errorBody }, error, ''), executed: false, replayed: false };
        }
      };

      return {
        path,
        operation: endpoint?.operation,
        credential,
        body: form,
        admit: () => {
          if (credential === '') throw new Refused(401, '', 'You did not provide an API key.');
          if (!isAccepted(credential)) throw new Refused(401, '', 'Invalid API Key provided.');
          const asked = headers['stripe-version'];
          if (asked !== version) throw new Refused(400, '', `Invalid Stripe API version: ${asked ?? 'none was given'}`);
          const of = headers['stripe-account'];
          if (of !== undefined && of !== account)
            throw new Refused(403, 'account_invalid', `The provided key does not have access to account '${of}'.`);
          if (
            request.body !== '' &&
            !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')
          )
            throw new Refused(
              400,
              '',
              'Invalid request (check that your POST content type is application/x-www-form-urlencoded).',
            );
        },
        perform: (fault) => {
          if (!endpoint) throw new Refused(404, '', `Unrecognized request URL (${method}: ${path}).`);
          return kept.once(idempotencyKey, JSON.stringify([path, params, headers['stripe-account']]), () => {
            assertParams(endpoint, params);
            const performed = work(endpoint);
            // What failed within Stripe is kept as well.
            const hasFailed = fault?.status !== undefined && fault.status >= 500;
            return hasFailed
              ? { ...performed, answer: faultAnswer({ errorBody, faultRefusal }, fault, '') }
              : performed;
          });
        },
        headers: (performed, requestId) => ({
          'request-id': requestId,
          'stripe-version': version,
          'idempotency-key': idempotencyKey,
          'idempotent-replayed': performed?.replayed ? 'true' : undefined,
        }),
      };
    },
  };
};

const assertParams = (
  { takes, required, expands }: StripeEndpoint,
  params: Readonly<Record<string, FormValue>>,
): void => {
  const unknown = Object.keys(params).find((name) => !takes.includes(name));
  if (unknown !== undefined)
    throw new Refused(400, 'parameter_unknown', `Received unknown parameter: ${unknown}`, { field: unknown });
  for (const part of Object.values(params['expand'] ?? []))
    if (typeof part !== 'string' || !expands.includes(part))
      throw new Refused(400, '', `This property cannot be expanded (${JSON.stringify(part)}).`, { field: 'expand' });
  if (required !== undefined && !params[required])
    throw new Refused(400, 'parameter_missing', `Missing required param: ${required}.`, { field: required });
};

const errorBody = ({ code, message, field, more }: Refused): object => ({
  error: {
    type: 'invalid_request_error',
    code: code || undefined,
    doc_url: code ? `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}` : undefined,
    message,
    param: field,
    ...more,
  },
});

const faultRefusal = (status: number): Refused => {
  const [code, type] =
    status === 429
      ? ['rate_limit']
      : status === 409
        ? ['idempotency_key_in_use', 'idempotency_error']
        : status >= 500
          ? ['', 'api_error']
          : [''];
  return new Refused(status, code ?? '', `Fault: ${status}`, { more: withoutUndefined({ type }) });
};
