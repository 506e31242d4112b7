import type { ApiProblem } from '../../core/errors.ts';
import { type Classify, classifyByStatus, type HttpDialect } from '../../http/dialect.ts';
import { parseJson } from '../../stores/ports/json.ts';
import type { HttpResponse } from '../../http/request.ts';

/** The refusals and failures of Stripe. `account` is the connected account of all requests. */
export const stripeHttp = (account: string | undefined): HttpDialect => ({
  headers: account === undefined ? {} : { 'stripe-account': account },
  classify,
  problemsOf: (response) => problemsOf(errorIn(response.text)),
  // https://docs.stripe.com/rate-limits
  searchLimit: { limit: 20, perMs: 1_000, isSearch: ({ url }) => url.endsWith('/search') },
  // Another request held the object, and this one was not begun.
  provesNothingDone: ['lock_timeout'],
  isOutdated: (status, problems) =>
    status === 400 && problems.some(({ message = '' }) => /stripe.?(?:api )?version/i.test(message)),
});

/**
 * A decline is final: its key gives it again. Otherwise `Stripe-Should-Retry` wins where it says something. A 409 is a request with the same key that is still running: asked
 * again, it gives that one's answer. Stripe's own failures are kept under their key too: `false` says so.
 */
const classify: Classify = (status, text, headers) => {
  if (status === 402 && errorIn(text).code !== undefined) return 'client';
  const shouldRetry = headers.get('stripe-should-retry');
  const usual = status === 409 ? 'transient' : classifyByStatus(status);
  if (usual === 'limited') return errorIn(text).code === 'lock_timeout' ? 'transient' : usual;
  if (usual === 'transient') return shouldRetry === 'false' ? 'final' : usual;
  return shouldRetry === 'true' ? 'transient' : usual;
};

const problemsOf = ({ type, code = type, decline_code, message, param }: StripeError): readonly ApiProblem[] => {
  if (code === undefined) return [];
  const fields = param === undefined ? undefined : [param];
  const problem: ApiProblem = { code, message, fields };
  return decline_code === undefined || decline_code === code ? [problem] : [problem, { code: decline_code }];
};

const errorIn = (text: HttpResponse['text']): StripeError => {
  try {
    return parseStripeError(parseJson(text));
  } catch {
    return {};
  }
};

/** The body of a refusal: `{ error: { type, code, message, param, decline_code } }`. */
interface StripeError {
  readonly type?: string | undefined;
  readonly code?: string | undefined;
  /** Such as `insufficient_funds`, for a card that was declined. */
  readonly decline_code?: string | undefined;
  /** The sentence of a `card_error`, which can be said to the customer. */
  readonly message?: string | undefined;
  readonly param?: string | undefined;
  /** The status of the PaymentIntent that the refusal is about, such as `processing`. */
  readonly intent?: string | undefined;
}

/** Reads the body of a refusal. What is none, such as a proxy's page, has no fields. */
export const parseStripeError = (body: unknown): StripeError => {
  const { error } = Object(body) as { readonly error?: unknown };
  const { type, code, decline_code, message, param, payment_intent } = Object(error) as Readonly<
    Record<string, unknown>
  >;
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  return {
    type: text(type),
    code: text(code),
    decline_code: text(decline_code),
    message: text(message),
    param: text(param),
    intent: text((Object(payment_intent) as { readonly status?: unknown }).status),
  };
};
