import type { BillingClient, PaymentTerms } from '../../billing/index.ts';
import { id } from '../../core/arguments.ts';
import { sumOf } from '../../billing/amount.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { madeOnce } from '../made-once.ts';
import type { CardToCharge, PaymentsOfCall } from '../payment-rules.ts';
import { fitsKey } from '../../phone-call/steps/step.ts';
import { paymentKey, type PaymentResult, takePayment } from '../../phone-call/steps/take-payment.ts';
import type { Json } from '../../stores/ports/json.ts';
import * as z from '../../core/schema.ts';
import { fromUnchecked } from '../arguments.ts';
import { isVerified, type LateEnd, type ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { alreadyPaid, invalidArguments, notAllowed, paymentRefused } from '../failures.ts';
import { amountParameter } from './amount-parameter.ts';
import type { PaymentArguments, SeenIn } from './seen-billing.ts';
import { spokenAmount, writtenAmount } from './spoken-amount.ts';
import { type BoundArgument, type Refusal, refused, type Tool, type ToolOptions } from '../tool.ts';

interface PaymentTool extends Omit<PaymentsOfCall & object, 'perCall' | 'refund'> {
  readonly card: CardToCharge;
  /** Looks the caller's invoices up for a model that didn't. */
  readonly lookUp: (context: ToolContext) => Promise<Refusal>;
  /** The look-ups and payments of each phone call. */
  readonly seenIn: SeenIn;
}

/** Pays an invoice that the phone call has looked up. */
export const paymentTool = (
  billing: BillingClient,
  { below, requires = 'caller-id', confirm = 'two-step', card, onceWithinMs, seenIn, lookUp }: PaymentTool,
): Tool => {
  const ownTerms = billing.paymentTerms();
  const terms = below === undefined || below === ownTerms.below ? ownTerms : { ...ownTerms, below };
  return defineTool({
    name: 'create_payment',
    description: asksCaller(confirm)
      ? twoStepDescription
      : 'Pay an invoice, only after the caller has agreed to the exact amount.',
    parameters: paymentParameters(terms),
    effect: 'payment',
    idempotent: terms.knowsKeys,
    confirm,
    bind: {
      customer_id: fromUnchecked((context, args) =>
        seenIn.read(context, (seen) => seen.customerFor(args['invoice_id'])?.id ?? noCustomer),
      ),
      payment_method_id: cardArgument(card, seenIn),
    },
    slowMessage: 'One moment, I am taking the payment.',
    summarize: (payment, reader) => inWords(payment, terms, reader),
    rules: [
      async (payment, context) => {
        if (!isVerified(context.caller, requires)) return refused(notAllowed('verification_required', 'payment').value);
        if (await seenIn.read(context, (seen) => seen.isEmpty())) return lookUp(context);
        return payment.payment_method_id === noCard
          ? refused(notAllowed('no_card_on_file', 'payment').value)
          : seenIn.read(context, (seen) => seen.problemWith(payment));
      },
    ],
    run: async (payment, context) => {
      const { callId, deadline, signal, idempotencyKey = '' } = context;
      const { problem, isFirst } = await seenIn.change(context, (seen) => {
        // Another payment may have been sent since the rules were checked.
        const against = seen.problemWith(payment, idempotencyKey);
        return { problem: against, isFirst: !against && seen.addAttempt(idempotencyKey, payment) };
      });
      if (problem) return refused(invalidArguments([problem]).value);
      const forget = () => seenIn.change(context, (seen) => seen.removeAttempt(idempotencyKey)).catch(() => {});
      /** The payment has ended whether or not this can be remembered: then it goes on counting. */
      const remember = async (result: PaymentResult): Promise<PaymentResult> => {
        // What is said of a repetition says nothing about the first try, unless it is the API's answer to its key.
        const isRefused = !result.success && result.outcome !== 'unknown' && (isFirst || result.payment !== undefined);
        if (result.success) await seenIn.change(context, (seen) => seen.addPaid(idempotencyKey)).catch(() => {});
        else if (isRefused) await forget();
        return result;
      };
      const onSettled = (late: PaymentResult) => {
        void remember(late);
        context.onSettled(toLateEnd(late));
      };
      try {
        const input = {
          ...toInput(payment, callId),
          idempotencyKey,
        };
        return await remember(await takePayment({ billing }, input, { deadline, signal, onSettled }));
      } catch (error) {
        if (isFirst) await forget();
        throw error;
      }
    },
    once: {
      // The same ids at another billing API are another payment.
      what: ({ customer_id, invoice_id, amount }) => [billing.paymentTerms().baseUrl, customer_id, invoice_id, amount],
      by: ({ payment_method_id }) => payment_method_id,
      // The step `takePayment` of the same phone call has the same key, so that both together charge once.
      key: (payment, { callId, tenant }, ordinal) =>
        fitsKey(callId) ? paymentKey({ ...toInput(payment, callId), tenant, ordinal }) : undefined,
      windowMs: onceWithinMs,
      note: ({ invoice_id }, context) =>
        seenIn.read(context, (seen) => ({ outstanding: seen.outstandingOf(invoice_id) ?? null })),
      mayRepeat: async ({ second_payment, invoice_id, amount }, context, note) => {
        if (second_payment !== true) return false;
        const before = outstandingIn(note);
        const now = await seenIn.read(context, (seen) => seen.outstandingOf(invoice_id));
        return before !== undefined && now !== undefined && now <= sumOf([before, -amount]);
      },
    },
    outcome: (result) => {
      if (result.success) return 'done';
      return result.outcome === 'unknown' ? 'unknown' : 'refused';
    },
    wordsSoFar: ({ payment }) => payment?.error_message ?? undefined,
    compact: (result) => {
      if (!result.success) return paymentRefused(result.error);
      const { confirmationNumber } = result;
      if (result.alreadyPaid) return alreadyPaid({ success: true, confirmation_number: confirmationNumber ?? null });
      return { success: true, confirmation_number: confirmationNumber };
    },
  });
};

const asksCaller = (confirm: PaymentTool['confirm']) => confirm === 'two-step' || confirm === 'both';

const twoStepDescription =
  'Pay an invoice. Call it first: nothing is charged, and it returns a question. Read that question out. Call it again ' +
  "after the caller's yes.";

const toInput = (payment: PaymentArguments, callId: string) => ({
  callId,
  customerId: payment.customer_id,
  invoiceId: payment.invoice_id,
  amount: payment.amount,
  paymentMethodId: payment.payment_method_id,
});

/** Only `note` of the tool writes here. */
const outstandingIn = (note: Json): number | undefined =>
  typeof note === 'object' && note !== null && 'outstanding' in note && typeof note.outstanding === 'number'
    ? note.outstanding
    : undefined;

/** An error says more than the words that were made of it. */
const toLateEnd = (result: PaymentResult): LateEnd => {
  const cause = 'cause' in result ? result.cause : undefined;
  return cause ? { ok: false, error: cause } : { ok: true, result };
};

const paymentParameters = madeOnce(
  (terms: PaymentTerms): z.ZodType<PaymentArguments> =>
    z.object({
      customer_id: id().check(z.describe('As your instructions give it.')),
      invoice_id: id().check(z.describe('From the look-up.')),
      amount: amountParameter(terms),
      payment_method_id: id().check(
        z.describe('The saved card or account, as your instructions give it. Never a card number.'),
      ),
      second_payment: z
        .nullish(z.boolean())
        .check(z.describe('After already_paid: true if the caller wants to pay again.')),
    }),
);

/** The question that the agent reads out, or the sentence for a colleague. */
const inWords = (
  { amount, invoice_id }: PaymentArguments,
  { currency, unit, minorUnits }: PaymentTerms,
  reader: Reader,
): string => {
  const written = Number.isInteger(amount) ? String(amount) : amount.toFixed(minorUnits);
  const plain = unit === 'minor' ? `${amount} (in the smallest unit)` : written;
  if (reader === 'colleague')
    return `Pay ${currency ? writtenAmount({ amount, currency, unit }) : plain} for invoice ${invoice_id}.`;
  return `Shall I charge ${currency ? spokenAmount({ amount, currency, unit }) : plain} to the card on file?`;
};

type Reader = Parameters<NonNullable<ToolOptions<PaymentArguments, unknown>['summarize']>>[1];

/** `undefined`: the model supplies it. */
const cardArgument = (card: CardToCharge, seenIn: SeenIn): BoundArgument | undefined =>
  card === 'from-model'
    ? undefined
    : fromUnchecked(async (context, args) => {
        const customer = await seenIn.read(context, (seen) => seen.customerFor(args['invoice_id']));
        return customer ? savedCard(await card(customer, context)) : noCard;
      });

/** Reads what the application returned. */
const savedCard = (returned: unknown): string => {
  if (returned === undefined || returned === null) return noCard;
  if (typeof returned === 'string') return returned.trim() === '' ? noCard : returned;
  throw new InvalidArgumentError(
    'payments.card',
    `must return the id of a saved card, null or undefined: it returned ${Array.isArray(returned) ? 'a list' : `a value of type ${typeof returned}`}`,
  );
};

/** The arguments until there are any, for the rule that says so. */
const noCard = 'no_card_on_file';
const noCustomer = 'no_customer';
