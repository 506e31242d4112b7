import { hasAtMostDecimals, id } from '../arguments.ts';
import type { BillingClient, Customer, Invoice } from '../billing/index.ts';
import { type PaymentResult, takePayment } from '../calls/take-payment.ts';
import type { Json } from '../ports/json.ts';
import type { RecordList } from '../schema.ts';
import * as z from '../schema.ts';
import { pick, topEntries } from './compact.ts';
import type { LateEnd, ToolCaller, ToolContext } from './context.ts';
import { defineTool } from './define-tool.ts';
import { customerNotFound, invalidArguments, notAllowed, paymentRefused } from './failures.ts';
import { firstBy } from './first-by.ts';
import { type Money, moneyWith } from './money.ts';
import { optional, ownParameters, required } from './own-parameters.ts';
import { personParameters } from './person-parameters.ts';
import { createPhoneCallMemory } from './phone-call-memory.ts';
import { refused } from './refused.ts';
import { isVerified, type LookUp, otherPersonProblem, personToFind, vouchedCaller } from './right-person.ts';
import {
  outstandingOf,
  type PaymentArguments,
  type SeenBilling,
  startSeenBilling,
  type VerifyIds,
} from './seen-billing.ts';
import type { ArgumentsSchema, BoundArgument, Tool, ToolOptions } from './tool.ts';

/** What the billing tools work with, and how far they may go. */
export interface BillingToolsOptions {
  /** Looks up and pays; its own limits hold beside those of the tools. */
  readonly billing: BillingClient;
  /** Every payment must be below this, in the API's own unit. */
  readonly maximumPayment: number;
  /** How many decimals an amount may have. @defaultValue 2 */
  readonly minorUnits?: number | undefined;
  /** Whose invoices may be looked up. @defaultValue 'caller', or anyone once the caller has proved who they are */
  readonly lookup?: LookUp;
  /** @defaultValue 'when-known' */
  readonly verify?: VerifyIds;
  /** `false`: no `create_payment`. */
  readonly payments?: PaymentToolOptions | false;
  /** What the agent may say while a tool is slow. */
  readonly slowMessages?: { readonly [name in BillingToolName]?: string };
}

/** When `create_payment` may pay, and which of its arguments a model never supplies. */
export interface PaymentToolOptions {
  /** How sure it must be who is on the phone. @defaultValue 'caller-id' */
  readonly requires?: ToolCaller['verified'];
  /**
   * For how long one customer, invoice and amount is charged once, in all phone calls and processes that share the
   * toolbox's `store`, whatever the card. Within it a second payment needs a look-up that shows the first one, and
   * `second_payment` from the caller; or another `intent` from the application. @defaultValue 24 hours
   */
  readonly chargeOnceWithinMs?: number;
  /** @defaultValue false */
  readonly confirm?: ToolOptions<object, unknown>['confirm'];
  /** Arguments that the model does not supply. */
  readonly bind?: {
    /** The text `from-lookup`: the customer whom this phone call has looked up. */
    readonly customer_id?: BoundArgument;
    /** `fromCustomer`: a field of the customer whom this phone call has looked up. */
    readonly payment_method_id?: BoundArgument | { readonly fromCustomer: (customer: Customer) => string | undefined };
  };
}

/** The names of the tools that {@link billingTools} gives. */
export type BillingToolName = 'lookup_customer_invoices' | 'create_payment';

/**
 * The two tools of the interface document: `lookup_customer_invoices` and `create_payment`. What one phone call has
 * looked up limits what it can pay.
 *
 * @example
 * const bind = { customer_id: 'from-lookup', payment_method_id: (context) => cards.onFile(context.callId) } as const;
 * const tools = billingTools({ billing, maximumPayment: 5000, payments: { bind } });
 */
export const billingTools = (options: BillingToolsOptions): readonly Tool[] => {
  const money = moneyWith(options.minorUnits ?? 2);
  const seenIn = createPhoneCallMemory(() => startSeenBilling(money));
  const lookUp = lookUpTool(options, seenIn, money);
  return options.payments === false ? [lookUp] : [lookUp, paymentTool(options, seenIn, money)];
};

type SeenIn = (context: ToolContext) => SeenBilling;

interface FoundInvoices {
  readonly customer: Customer;
  readonly invoices: RecordList<Invoice>;
}

const lookUpTool = (
  { billing, lookup = 'caller', slowMessages }: BillingToolsOptions,
  seenIn: SeenIn,
  money: Money,
): Tool =>
  defineTool({
    name: 'lookup_customer_invoices',
    description:
      "Find the caller's open invoices. Gives how many there are, the total outstanding and the oldest five.",
    parameters: personParameters,
    effect: 'read',
    slowMessage: slowMessages?.lookup_customer_invoices ?? 'One moment, I am looking up the invoices.',
    rules: [
      (args, { caller }) => otherPersonProblem(args, vouchedCaller(caller, lookup), lookup),
      (args, { caller }) => {
        const { phone, email } = personToFind(args, { caller: vouchedCaller(caller, lookup) });
        if (phone || email) return undefined;
        return caller.phone || caller.email
          ? refused(notAllowed('verification_required', 'read').value)
          : { field: 'phone', problem: 'or email must be given: the caller is not known' };
      },
    ],
    run: async (args, context) => {
      const { phone, email } = personToFind(args, { caller: vouchedCaller(context.caller, lookup) });
      const { customers, invoices } = billing;
      const customer =
        (phone && (await customers.search({ phone }, context.request))) ||
        (email && (await customers.search({ email }, context.request)));
      if (!customer) return refused(customerNotFound());
      const open = await invoices.listOpen(customer.id, context.request);
      seenIn(context).addLookUp(customer, open.data);
      return { customer, invoices: open };
    },
    compact: ({ customer, invoices }: FoundInvoices) => ({
      customer_name: customer.name ?? null,
      invoice_count: invoices.total,
      total_outstanding: money.sum(invoices.data.map(outstandingOf)),
      invoices: firstBy(invoices.data, topEntries, byDueDate).map((invoice) => ({
        ...pick(invoice, ['id']),
        amount: outstandingOf(invoice),
        ...pick(invoice, ['due_date']),
      })),
    }),
  });

/** Oldest first, those without a date last. */
const byDueDate = ({ due_date: a }: Invoice, { due_date: b }: Invoice): number => {
  if (a === b) return 0;
  if (!a || !b) return a ? -1 : 1;
  return a < b ? -1 : 1;
};

const paymentTool = (options: BillingToolsOptions, seenIn: SeenIn, money: Money): Tool => {
  const { billing, maximumPayment, minorUnits = 2, verify = 'when-known', slowMessages } = options;
  const { requires = 'caller-id', confirm = false, bind = {}, chargeOnceWithinMs } = options.payments || {};
  return defineTool({
    name: 'create_payment',
    description: 'Pay an invoice. Only call it after the caller has agreed to the exact amount.',
    parameters: paymentParameters(maximumPayment, minorUnits),
    effect: 'payment',
    confirm,
    bind: {
      ...(bind.customer_id !== undefined && { customer_id: customerArgument(bind.customer_id, seenIn) }),
      ...(bind.payment_method_id !== undefined && {
        payment_method_id: methodArgument(bind.payment_method_id, seenIn),
      }),
    },
    slowMessage: slowMessages?.create_payment ?? 'One moment, I am taking the payment.',
    summarize: ({ amount, invoice_id }) => `Pay ${amount} for invoice ${invoice_id}.`,
    rules: [
      (_payment, { caller }) =>
        isVerified(caller, requires) ? undefined : refused(notAllowed('verification_required', 'payment').value),
      (payment, context) => seenIn(context).problemWith(payment, verify),
    ],
    run: async (payment, context) => {
      const seen = seenIn(context);
      // Another payment may have been sent since the rules were asked.
      const { callId, deadline, signal, idempotencyKey = '' } = context;
      const problem = seen.problemWith(payment, verify, idempotencyKey);
      if (problem) return refused(invalidArguments([problem]).value);
      // What is said of a repetition says nothing about the first try, unless it is the API's answer to its key.
      const isFirst = seen.addAttempt(idempotencyKey, payment);
      const keep = (result: PaymentResult): PaymentResult => {
        if (result.success) seen.addPaid(idempotencyKey);
        else if (result.outcome !== 'unknown' && (isFirst || result.payment)) seen.removeAttempt(idempotencyKey);
        return result;
      };
      try {
        const result = await takePayment(
          { billing },
          {
            callId,
            customerId: payment.customer_id,
            invoiceId: payment.invoice_id,
            amount: payment.amount,
            paymentMethodId: payment.payment_method_id,
            idempotencyKey,
          },
          { deadline, signal, onSettled: (late) => context.onSettled(toLateEnd(keep(late))) },
        );
        return keep(result);
      } catch (error) {
        if (isFirst) seen.removeAttempt(idempotencyKey);
        throw error;
      }
    },
    once: {
      // The same ids at another billing API are another payment.
      what: ({ customer_id, invoice_id, amount }) => [billing.paymentTerms().baseUrl, customer_id, invoice_id, amount],
      by: ({ payment_method_id }) => payment_method_id,
      windowMs: chargeOnceWithinMs,
      note: ({ invoice_id }, context) => ({ outstanding: seenIn(context).outstandingOf(invoice_id) ?? null }),
      mayRepeat: ({ second_payment, invoice_id, amount }, context, note) => {
        const before = outstandingIn(note);
        const now = seenIn(context).outstandingOf(invoice_id);
        return (
          second_payment === true &&
          before !== undefined &&
          now !== undefined &&
          now <= money.subtract(before, [amount])
        );
      },
    },
    outcome: (result) => {
      if (result.success) return 'done';
      return result.outcome === 'unknown' ? 'unknown' : 'refused';
    },
    wordsSoFar: ({ payment }) => payment?.error_message ?? undefined,
    compact: (result) =>
      result.success
        ? { success: true, ...(result.confirmationNumber && { confirmation_number: result.confirmationNumber }) }
        : paymentRefused(result.error),
  });
};

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

const paymentParameters = (maximumPayment: number, minorUnits: number): ArgumentsSchema<PaymentArguments> =>
  ownParameters({
    customer_id: required(id, { type: 'string' }),
    invoice_id: required(id, { type: 'string', description: 'From the look-up.' }),
    amount: required(
      () =>
        z.number().check(
          z.gt(0),
          z.lt(maximumPayment),
          z.refine((amount) => hasAtMostDecimals(amount, minorUnits), `must have at most ${minorUnits} decimals`),
        ),
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: maximumPayment },
    ),
    payment_method_id: required(id, { type: 'string' }),
    second_payment: optional(z.boolean, {
      type: 'boolean',
      description: 'Only after already_paid: true if the caller wants to pay again.',
    }),
  });

const customerArgument = (bound: BoundArgument, seenIn: SeenIn): BoundArgument =>
  bound === 'from-lookup' ? (context, args) => seenIn(context).customerFor(args['invoice_id'])?.id : bound;

const methodArgument = (
  bound: BoundArgument | { readonly fromCustomer: (customer: Customer) => string | undefined },
  seenIn: SeenIn,
): BoundArgument => {
  if (typeof bound !== 'object') return bound;
  return (context, args) => {
    const customer = seenIn(context).customerFor(args['invoice_id']);
    return customer && bound.fromCustomer(customer);
  };
};
