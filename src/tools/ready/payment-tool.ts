import { madeOnce } from '../made-once.ts';
import { hasAtMostDecimals, id } from '../../core/arguments.ts';
import type { BillingClient, Customer, PaymentTerms } from '../../billing/index.ts';
import { decimalsOf, inMajor, sumOf } from '../../billing/amount.ts';
import { fitsKey } from '../../phone-call/steps/step.ts';
import { paymentKey, type PaymentResult, takePayment } from '../../phone-call/steps/take-payment.ts';
import { assertKnown, must, oneOf, type OptionCheck, type OptionNames } from '../../core/option-checks.ts';
import type { Json } from '../../stores/ports/json.ts';
import * as z from '../../core/schema.ts';
import { fromUnchecked } from '../arguments.ts';
import { isVerified, type LateEnd, strengths, type ToolCaller, type ToolContext } from '../context.ts';
import { defineTool, isDuration } from '../define-tool.ts';
import { alreadyPaid, invalidArguments, notAllowed, paymentRefused } from '../failures.ts';
import type { PaymentArguments, SeenBilling, VerifyIds } from './seen-billing.ts';
import { type BoundArgument, confirms, refused, type Tool, type ToolOptions } from '../tool.ts';

/** The conditions of `create_payment`, and the arguments that a model never supplies. */
export interface PaymentToolOptions {
  /** The certainty needed of the person on the phone. @defaultValue 'caller-id' */
  readonly requires?: ToolCaller['verified'] | undefined;
  /**
   * For how long one customer, invoice and amount is charged once, in all phone calls and processes that share the
   * toolbox's `store`, whatever the card. Within it a second payment needs a look-up that shows the first one, and
   * `second_payment` from the caller; or another `intent` from the application.
   * @defaultValue 24 hours
   */
  readonly chargeOnceWithinMs?: number | undefined;
  /** @defaultValue false */
  readonly confirm?: ToolOptions<object, unknown>['confirm'] | undefined;
  /** The sources of the customer and the card. The text `from-model` has the model supply one. */
  readonly bind: {
    /** @defaultValue 'from-lookup', the customer whom this phone call has looked up */
    readonly customer_id?: BoundArgument | undefined;
    /** The saved card or account to charge. `fromCustomer`: a field of the customer who was looked up. */
    readonly payment_method_id: BoundArgument | { readonly fromCustomer: (customer: Customer) => string | undefined };
  };
}

/** The checks of the options of `create_payment`, wherever an application sets them. */
export const paymentToolChecks = (options: Partial<PaymentToolOptions>): readonly OptionCheck[] => {
  const { requires, confirm, chargeOnceWithinMs = 0, bind } = options;
  return [
    () => assertKnown(options, optionNames),
    oneOf(requires, 'requires', strengths),
    oneOf(confirm, 'confirm', confirms),
    must(isDuration(chargeOnceWithinMs), 'chargeOnceWithinMs', 'must be a number of milliseconds, 0 or more'),
    () => assertKnown(bind, { customer_id: true, payment_method_id: true }, 'bind'),
    must(
      (bind?.payment_method_id ?? undefined) !== undefined,
      'bind.payment_method_id',
      'must say which saved card or account create_payment charges: a value, a function, ' +
        "{ fromCustomer: (customer) => customer.default_payment_method }, or 'from-model' to have the model supply it. " +
        'payments: false leaves the tool out',
    ),
  ];
};

const optionNames: OptionNames<PaymentToolOptions> = {
  requires: true,
  chargeOnceWithinMs: true,
  confirm: true,
  bind: true,
};

interface PaymentTool extends PaymentToolOptions {
  readonly verify: VerifyIds;
  /** The look-ups and payments of each phone call. */
  readonly seenIn: SeenIn;
}

/** Finds what the caller of a context has looked up and paid in its phone call. */
export interface SeenIn {
  read<Result>(context: ToolContext, use: (seen: SeenBilling) => Result): Promise<Result>;
  change<Result>(context: ToolContext, change: (seen: SeenBilling) => Result): Promise<Result>;
}

/** Pays an invoice that the phone call has looked up. */
export const paymentTool = (
  billing: BillingClient,
  { requires = 'caller-id', confirm = false, bind, chargeOnceWithinMs, verify, seenIn }: PaymentTool,
): Tool => {
  const terms = billing.paymentTerms();
  return defineTool({
    name: 'create_payment',
    description: 'Pay an invoice, only after the caller has agreed to the exact amount.',
    parameters: paymentParameters(terms),
    effect: 'payment',
    idempotent: terms.knowsKeys,
    confirm,
    bind: {
      customer_id: customerArgument(bind.customer_id ?? 'from-lookup', seenIn),
      payment_method_id: methodArgument(bind.payment_method_id, seenIn),
    },
    slowMessage: 'One moment, I am taking the payment.',
    summarize: ({ amount, invoice_id }) => `Pay ${inWords(amount, terms)} for invoice ${invoice_id}.`,
    rules: [
      (_payment, { caller }) =>
        isVerified(caller, requires) ? undefined : refused(notAllowed('verification_required', 'payment').value),
      (payment, context) => seenIn.read(context, (seen) => seen.problemWith(payment, verify)),
    ],
    run: async (payment, context) => {
      const { callId, deadline, signal, idempotencyKey = '' } = context;
      const { problem, isFirst } = await seenIn.change(context, (seen) => {
        // Another payment may have been sent since the rules were checked.
        const against = seen.problemWith(payment, verify, idempotencyKey);
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
      windowMs: chargeOnceWithinMs,
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
  ({ maximumPayment, minorUnits, ...terms }: PaymentTerms): z.ZodType<PaymentArguments> =>
    z.object({
      customer_id: id().check(z.describe('As your instructions give it.')),
      invoice_id: id().check(z.describe('From the look-up.')),
      amount: z.number().check(
        z.gt(0),
        z.lt(maximumPayment),
        z.refine((amount) => hasAtMostDecimals(amount, minorUnits), `must have at most ${minorUnits} decimals`),
        z.describe(amountDescription(terms)),
      ),
      payment_method_id: id().check(
        z.describe('The saved card or account, as your instructions give it. Never a card number.'),
      ),
      second_payment: z
        .nullish(z.boolean())
        .check(z.describe('After already_paid: true if the caller wants to pay again.')),
    }),
);

const amountDescription = ({ currency, unit }: Pick<PaymentTerms, 'currency' | 'unit'>): string => {
  const money = currency?.toUpperCase() ?? 'the currency of the invoice';
  if (unit === 'minor') {
    const example = currency ? `: 1250 is ${inMajor(1250, currency)}` : '';
    return `In the smallest unit of ${money}${example}.`;
  }
  return currency && decimalsOf(currency) === 0 ? `In ${money}, whole numbers.` : `In ${money}: 12.5 is 12.50.`;
};

/** For the person who agrees to it. */
const inWords = (amount: number, { currency, unit }: PaymentTerms): string => {
  if (!currency) return unit === 'minor' ? `${amount} (in the smallest unit)` : String(amount);
  return `${unit === 'minor' ? inMajor(amount, currency) : amount} ${currency.toUpperCase()}`;
};

/** `undefined`: the model supplies it. */
const customerArgument = (bound: BoundArgument, seenIn: SeenIn): BoundArgument | undefined => {
  if (bound === 'from-model') return undefined;
  return bound === 'from-lookup'
    ? fromUnchecked((context, args) => seenIn.read(context, (seen) => seen.customerFor(args['invoice_id'])?.id))
    : bound;
};

const methodArgument = (
  bound: PaymentToolOptions['bind']['payment_method_id'],
  seenIn: SeenIn,
): BoundArgument | undefined => {
  if (bound === 'from-model') return undefined;
  if (typeof bound !== 'object') return bound;
  return async (context, args) => {
    const customer = await seenIn.read(context, (seen) => seen.customerFor(args['invoice_id']));
    return customer && bound.fromCustomer(customer);
  };
};
