import { createLocalClock, type LocalClock } from '../../core/local-clock.ts';
import { assertKnown, eachOneOf } from '../../core/option-checks.ts';
import * as z from '../../core/schema.ts';
import { type Reader, readRecord, ShapeError, type StandardSchema } from '../../core/schema.ts';
import type { Invoice } from '../invoices.ts';
import { type SignatureScheme, timestamped } from '../../signature/scheme.ts';
import { toMajor } from './amounts.ts';
import { customerOf, readInvoice, sharedFields, type StripeInvoice, toInvoice } from './invoices.ts';

/** Options of Stripe's events. */
export interface StripeEventsOptions {
  /** The time zone of the business, as an IANA name: an invoice is due on the day there. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined;
}

/** The events of invoices and payments, under Stripe's own names. */
export interface StripeEvents {
  readonly 'invoice.paid': StripeInvoiceEvent;
  readonly 'invoice.payment_failed': StripeInvoiceEvent;
  /** The bank wants the cardholder to confirm: `invoice.hosted_invoice_url` is where. */
  readonly 'invoice.payment_action_required': StripeInvoiceEvent;
  readonly 'invoice.voided': StripeInvoiceEvent;
  readonly 'payment_intent.succeeded': StripePaymentEvent;
  readonly 'payment_intent.payment_failed': StripePaymentEvent;
  readonly 'payment_intent.processing': StripePaymentEvent;
}

/** The names of the events that can be received. */
export type StripeEventName = keyof StripeEvents;

const eventNames: readonly StripeEventName[] = [
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoice.voided',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.processing',
];

/** The fields of every event of Stripe. */
interface FromStripe {
  /** The connected account that it's about; absent for your own. */
  readonly account?: string | undefined;
  /** `false` for a sandbox. */
  readonly livemode: boolean;
}

/** Something happened to an invoice. */
export interface StripeInvoiceEvent extends FromStripe {
  /** The client's record: `amount` is the amount left to pay, in euros. */
  readonly invoice: Invoice;
}

/** A payment came to its end, or a bank works on it. */
export interface StripePaymentEvent extends FromStripe {
  readonly payment: {
    readonly id: string;
    /** The amount in euros, as everywhere. */
    readonly amount: number;
    /** A code in capitals. */
    readonly currency: string;
    readonly status: string;
    readonly customer_id?: string | undefined;
    /** The reason of a failure: Stripe's sentence for customers. */
    readonly error_message?: string | undefined;
    readonly decline_code?: string | undefined;
  };
}

/** Two of a webhook receiver's options: spread them into it. */
export interface StripeEventsPart<Name extends StripeEventName> {
  /** The schemas of the events that were named. */
  readonly events: { readonly [Each in Name]: StandardSchema<StripeEvents[Each]> };
  /** Reads Stripe's event, and ignores all others. */
  readonly envelope: (body: unknown) =>
    | {
        readonly type: string;
        readonly id: string | undefined;
        readonly occurredAt: number | undefined;
        readonly payload: unknown;
      }
    | { readonly ignore: string }
    | undefined;
}

/**
 * The events of Stripe for a webhook receiver: those that you name are handled under these names, and all others are
 * acknowledged. Stripe's own id identifies an event, so that a repeated delivery is recognised.
 *
 * @example
 * const receive = createWebhookReceiver({
 *   ...stripeEvents(['invoice.paid']),
 *   authentication: [hmac({ scheme: stripeSignature, secrets: () => secrets.read('stripe-endpoint') })],
 *   on: { 'invoice.paid': async ({ payload }) => markPaid(payload.invoice.id) },
 *   store,
 * });
 */
export const stripeEvents = <const Name extends StripeEventName>(
  names: readonly Name[],
  options: StripeEventsOptions = {},
): StripeEventsPart<Name> => {
  assertKnown(options, { timeZone: true });
  const clock = createLocalClock(options.timeZone);
  eachOneOf<StripeEventName>(names, 'names', eventNames)();
  return {
    // Each name gets the schema of that name.
    events: Object.fromEntries(
      names.map((name) => [name, schemaOf(name, clock)]),
    ) as object as StripeEventsPart<Name>['events'],
    envelope: (body) => {
      const { object, id, type, created } = Object(body) as Readonly<Record<string, unknown>>;
      if (object !== 'event' || typeof type !== 'string') return undefined;
      if (!names.some((name) => name === type)) return { ignore: 'type_not_wanted' };
      return {
        type,
        id: typeof id === 'string' && id !== '' ? id : undefined,
        occurredAt: typeof created === 'number' ? created * 1000 : undefined,
        payload: body,
      };
    },
  };
};

const context = { drift: () => undefined };

const schemaOf = (
  name: StripeEventName,
  clock: LocalClock,
): StandardSchema<StripeInvoiceEvent | StripePaymentEvent> => {
  const isInvoice = name.startsWith('invoice.');
  return {
    '~standard': {
      version: 1,
      vendor: 'voice-agent-integrations',
      validate: (body) => {
        try {
          const { account, livemode, data } = Object(body) as Readonly<Record<string, unknown>>;
          const { object } = Object(data) as { readonly object?: unknown };
          const from = { account: typeof account === 'string' ? account : undefined, livemode: livemode === true };
          if (isInvoice) return { value: { ...from, invoice: toInvoice(readInvoice(object, context), clock) } };
          return { value: { ...from, payment: toPayment(readIntent(object, context)) } };
        } catch (error) {
          if (!(error instanceof ShapeError)) throw error;
          return { issues: [{ message: error.problem, path: ['data', 'object', ...error.field.split('.')] }] };
        }
      },
    },
  };
};

interface PaymentIntent extends Pick<StripeInvoice, 'id' | 'status' | 'currency' | 'customer'> {
  readonly amount: number;
  readonly last_payment_error?:
    | { readonly message?: string | null | undefined; readonly decline_code?: string | null | undefined }
    | null
    | undefined;
}

const intentSchema = z.lazily<PaymentIntent>(() =>
  z.object({
    ...sharedFields(),
    id: z.string(),
    amount: z.int(),
    last_payment_error: z.nullish(z.object({ message: z.nullish(z.string()), decline_code: z.nullish(z.string()) })),
  }),
);

const readIntent: Reader<PaymentIntent> = readRecord(intentSchema, ['id', 'amount', 'currency', 'status']);

const toPayment = (intent: PaymentIntent): StripePaymentEvent['payment'] => {
  const { id, amount, currency, status, last_payment_error: error } = intent;
  return {
    id,
    amount: toMajor(amount, currency),
    currency: currency.toUpperCase(),
    status,
    customer_id: customerOf(intent),
    error_message: error?.message ?? undefined,
    decline_code: error?.decline_code ?? undefined,
  };
};

/**
 * The scheme of Stripe's webhooks: `Stripe-Signature: t=<seconds>,v1=<hex>`, with one `v1` per secret while a secret is
 * rolled, over the raw body. Deliveries older than 5 minutes are refused, as Stripe's own packages do.
 * Source: docs.stripe.com/webhooks/signature.
 *
 * @example
 * authentication: [hmac({ scheme: stripeSignature, secrets: () => secrets.read('stripe-endpoint') })],
 */
export const stripeSignature: SignatureScheme = { ...timestamped, header: 'stripe-signature' };
