import type { OperationName } from '../operations.ts';
import type { FakeRequest, Handled, RecordedRequest } from '../fake-request.ts';
import type { Faults, PlannedFault } from '../faults.ts';
import { parseRequest } from '../parse-request.ts';
import { Refused } from '../refused.ts';
import { createRequestWindow } from '../request-window.ts';
import { type BillingStore, createBillingStore } from '../store/billing.ts';
import type { StripeEndpoint } from './endpoint.ts';
import { stripeEndpoints } from './endpoints.ts';
import { type FormValue, readForm } from './form.ts';
import { createKeptResults, type KeptResult } from './kept-results.ts';
import type { FakeStripeOptions } from './options.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';

/** What the fake account shares with the rest of the platform. */
export interface StripeContext {
  readonly store: BillingStore;
  readonly faults: Faults;
  readonly recordCredentials: boolean;
  readonly isAccepted: (credential: string) => boolean;
  readonly nextRequestId: () => string;
  readonly onRequest: (request: RecordedRequest) => void;
  readonly onEffect: (operation: OperationName, idempotencyKey: string | undefined) => void;
}

/**
 * Answers as an account of Stripe does. It checks, in this order: rate limit, faults, key, version, account, content type,
 * endpoint, idempotency key, parameters; then it does the work.
 */
export const createStripeHandler = (
  options: FakeStripeOptions,
  context: StripeContext,
): ((request: FakeRequest) => Handled) => {
  const { version = '2026-10-28.endive', searchDelayMs = 60_000, pageSize = Infinity, account } = options;
  const { store, faults, isAccepted } = context;
  const endpoints = stripeEndpoints({ searchDelayMs, pageSize });
  const window = options.rateLimit ? createRequestWindow(options.rateLimit) : undefined;
  const searchWindow = createRequestWindow({ limit: 20, perMs: 1000 });
  const kept = createKeptResults();
  /** What another account than the one with the data holds. */
  const nothing = createBillingStore({ paymentRule: () => 'completed' });

  const assertMeant = ({ headers, body }: FakeRequest, credential: string) => {
    if (credential === '') throw new Refused(401, '', 'You did not provide an API key.');
    if (!isAccepted(credential)) throw new Refused(401, '', 'Invalid API Key provided.');
    const given = headers['stripe-version'];
    if (given !== version) throw new Refused(400, '', `Invalid Stripe API version: ${given ?? 'none was given'}`);
    const of = headers['stripe-account'];
    if (of !== undefined && of !== account)
      throw new Refused(403, 'account_invalid', `The provided key does not have access to account '${of}'.`);
    if (body !== '' && !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? ''))
      throw new Refused(
        400,
        '',
        'Invalid request (check that your POST content type is application/x-www-form-urlencoded).',
      );
  };

  const assertParams = ({ takes, required, expands }: StripeEndpoint, params: Readonly<Record<string, FormValue>>) => {
    const unknown = Object.keys(params).find((name) => !takes.includes(name));
    if (unknown !== undefined)
      throw new Refused(400, 'parameter_unknown', `Received unknown parameter: ${unknown}`, { field: unknown });
    for (const part of Object.values(params['expand'] ?? []))
      if (typeof part !== 'string' || !expands.includes(part))
        throw new Refused(400, '', `This property cannot be expanded (${JSON.stringify(part)}).`, { field: 'expand' });
    if (required !== undefined && !params[required])
      throw new Refused(400, 'parameter_missing', `Missing required param: ${required}.`, { field: required });
  };

  return (request) => {
    const { method, headers } = request;
    const requestId = context.nextRequestId();
    const { path, credential } = parseRequest(request, 'authorization');
    const at = request.url.indexOf('?');
    const form = readForm(request.body);
    const params = method === 'GET' ? readForm(at < 0 ? '' : request.url.slice(at + 1)) : form;
    const here = endpoints.filter((one) => one.path.test(path));
    const endpoint = here.find((one) => one.method === method);
    const idempotencyKey = method === 'POST' ? headers['idempotency-key'] : undefined;
    let fault: PlannedFault | undefined;
    let executed = false;
    let replayed: KeptResult | undefined;

    const work = (meant: StripeEndpoint): Result => {
      const call = {
        store: headers['stripe-account'] === account ? store : nothing,
        id: decodeURIComponent(meant.path.exec(path)?.[1] ?? ''),
        params,
        idempotencyKey: idempotencyKey ?? '',
      };
      try {
        const body = meant.answer(call);
        executed = method === 'POST';
        if (executed) context.onEffect(meant.operation, idempotencyKey);
        return { status: 200, body };
      } catch (error) {
        return refusedResult(error);
      }
    };

    const perform = (meant: StripeEndpoint): Result => {
      if (idempotencyKey === undefined) {
        assertParams(meant, params);
        return work(meant);
      }
      const fingerprint = JSON.stringify([path, params, headers['stripe-account']]);
      replayed = kept.find(idempotencyKey, fingerprint);
      if (replayed) return replayed;
      assertParams(meant, params);
      const result = work(meant);
      // What failed within Stripe is kept as well.
      const answer = fault?.status !== undefined && fault.status >= 500 ? faultResult(fault) : result;
      kept.keep(idempotencyKey, fingerprint, answer);
      return answer;
    };

    const answer = (): Result => {
      try {
        if ((window?.take(performance.now()) ?? 0) > 0)
          throw new Refused(429, 'rate_limit', 'Request rate limit exceeded.');
        if (path === '/v1/customers/search' && searchWindow.take(performance.now()) > 0)
          throw new Refused(429, 'rate_limit', 'Search rate limit exceeded.');
        fault = endpoint && faults.take('billing', endpoint.operation, credential);
        if (fault && !fault.executes) return faultResult(fault);
        assertMeant(request, credential);
        if (!endpoint) throw new Refused(404, '', `Unrecognized request URL (${method}: ${path}).`);
        const result = perform(endpoint);
        return fault?.status === undefined ? result : faultResult(fault);
      } catch (error) {
        return refusedResult(error);
      }
    };

    const { status, body, headers: own } = answer();
    const delivery = fault?.delivery ?? 'whole';
    context.onRequest({
      api: 'billing',
      operation: endpoint?.operation,
      method,
      path: request.url,
      headers: context.recordCredentials || !headers['authorization'] ? headers : { ...headers, authorization: '***' },
      credential: credential === '' ? 'missing' : isAccepted(credential) ? 'accepted' : 'refused',
      idempotencyKey: headers['idempotency-key'],
      body: request.body === '' ? undefined : form,
      status: delivery === 'reset-before-headers' || delivery === 'stall-headers' ? undefined : status,
      executed,
      replayed: replayed !== undefined,
      at: Date.now(),
    });
    return {
      status,
      headers: {
        'content-type': 'application/json',
        'request-id': requestId,
        'stripe-version': version,
        ...withoutUndefined({
          'idempotency-key': idempotencyKey,
          'idempotent-replayed': replayed ? 'true' : undefined,
        }),
        ...own,
        ...fault?.headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      latencyMs: fault?.latencyMs || (options.latencyMs ?? 0),
      delivery: delivery === 'whole' ? (options.bodies ?? 'whole') : delivery,
    };
  };
};

interface Result {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const refusedResult = (error: unknown): Result => {
  if (!(error instanceof Refused)) throw error;
  return { status: error.status, body: errorBody(error), headers: error.headers };
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

/** What a fault answers: its own body, or the error that Stripe has for the status. */
const faultResult = (fault: PlannedFault): Result => {
  const { status = 500 } = fault;
  if ('body' in fault) return { status, body: fault.body };
  const [code, type] =
    status === 429 ? ['rate_limit'] : status === 409 ? inUse : status >= 500 ? ['', 'api_error'] : [''];
  return {
    status,
    body: errorBody(new Refused(status, code, `Fault: ${status}`, type === undefined ? {} : { more: { type } })),
  };
};

const inUse = ['idempotency_key_in_use', 'idempotency_error'] as const;
