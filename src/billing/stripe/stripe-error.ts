/** What Stripe says was wrong: `{ error: { type, code, message, param, decline_code } }`. */
export interface StripeError {
  readonly type?: string | undefined;
  readonly code?: string | undefined;
  /** Such as `insufficient_funds`, for a card that was declined. */
  readonly decline_code?: string | undefined;
  /** For a `card_error`, a sentence that can be said to the customer. */
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
