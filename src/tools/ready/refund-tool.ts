import { dayMs } from '../../core/timers.ts';
import { readingOf } from '../../http/operation.ts';
import type { BillingClient, PaymentTerms, Refund } from '../../billing/index.ts';
import { refundedOf } from '../../billing/made-payments.ts';
import { endInWord, endOfPayment } from '../../billing/payment-outcome.ts';
import { id } from '../../core/arguments.ts';
import { UnexpectedResponseError } from '../../core/errors.ts';
import * as z from '../../core/schema.ts';
import { fromUnchecked } from '../arguments.ts';
import { isVerified, type ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { notAllowed, paymentRefused } from '../failures.ts';
import { madeOnce } from '../made-once.ts';
import type { Payments, RefundRules } from '../payment-rules.ts';
import { type Refusal, refused, type Tool } from '../tool.ts';
import { amountParameter } from './amount-parameter.ts';
import type { SeenIn } from './seen-billing.ts';
import { spokenAmount, writtenAmount } from './spoken-amount.ts';

interface RefundTool extends Partial<RefundRules> {
  readonly requires?: Payments['requires'];
  readonly seenIn: SeenIn;
  /** Looks the caller's payments up for a model that didn't. */
  readonly lookUp: (context: ToolContext) => Promise<Refusal>;
}

interface RefundArguments {
  readonly customer_id: string;
  readonly invoice_id: string;
  readonly payment_id: string;
  readonly amount: number;
  readonly reason: (typeof reasons)[number];
}

/** The reasons that a colleague reads. No billing API gets them: one of theirs may block the customer's card. */
const reasons = ['charged_twice', 'wrong_amount', 'not_delivered', 'canceled', 'goodwill'] as const;

/** Gives a payment back that the phone call has looked up, or a part of it. */
export const refundTool = (
  billing: BillingClient,
  { below, confirm = 'approve', requires = 'caller-id', seenIn, lookUp }: RefundTool,
): Tool => {
  const own = billing.paymentTerms();
  const { knowsKeys = false, below: limit = 0 } = own.refunds ?? {};
  const terms: PaymentTerms = { ...own, below: below ?? limit };
  const seenArgument = (field: 'customerId' | 'invoiceId') =>
    fromUnchecked((context, args) =>
      seenIn.read(context, (seen) => seen.paymentFor(args['payment_id'])?.[field] ?? notSeen),
    );
  return defineTool<RefundArguments, Refund>({
    name: 'refund_payment',
    description:
      confirm === 'two-step' || confirm === 'both'
        ? "Give a payment back, or a part of it. Call it first: it returns a question to read out. Call it again after the caller's yes."
        : 'Give a payment back, or a part of it. Promise nothing before the result says so.',
    parameters: refundParameters(terms),
    effect: 'payment',
    idempotent: knowsKeys,
    confirm,
    bind: { customer_id: seenArgument('customerId'), invoice_id: seenArgument('invoiceId') },
    slowMessage: 'One moment, I am arranging the refund.',
    summarize: (refund, reader) => inWords(refund, terms, reader),
    rules: [
      async ({ payment_id }, context) => {
        if (!isVerified(context.caller, requires)) return refused(notAllowed('verification_required', 'payment').value);
        if (await seenIn.read(context, (seen) => seen.hasNoPayments())) return lookUp(context);
        const payment = await seenIn.read(context, (seen) => seen.paymentFor(payment_id));
        const problem = payment ? payment.problem : 'is not one of the payments that were looked up';
        return problem === undefined ? undefined : { field: 'payment_id', problem };
      },
    ],
    refundOf: async ({ customer_id, invoice_id, payment_id }, { request }) => {
      const { data } = await billing.payments.list({ customer_id, invoice_id }, readingOf(request));
      const payment = data.find((one) => one.id === payment_id);
      const refunded = payment && refundedOf(payment, terms.statuses);
      if (payment && refunded === undefined)
        throw new UnexpectedResponseError('billing.payments.list does not say what was given back of a payment', {
          operation: 'billing.payments.list',
          outcome: 'not_sent',
        });
      // The same id at another billing API is another payment.
      return payment && { id: JSON.stringify([terms.baseUrl, payment_id]), amount: payment.amount, refunded };
    },
    run: ({ reason: _forColleagues, ...refund }, { request }) => billing.payments.refund(refund, request),
    once: {
      what: ({ customer_id, payment_id, amount }) => [terms.baseUrl, customer_id, payment_id, amount],
      windowMs: refundWindowMs,
    },
    outcome: (refund) => {
      const end = endOf(refund, terms);
      return end === 'completed' || end === 'pending' ? 'done' : end === 'refused' ? 'refused' : 'unknown';
    },
    wordsSoFar: ({ status }) => status,
    compact: (refund) => {
      const end = endOf(refund, terms);
      const { amount, error_message } = refund;
      if (end === 'refused')
        return paymentRefused(`The refund failed. ${error_message ?? ''} ${anotherWay}`.replace('  ', ' '));
      const money = { currency: terms.currency, unit: terms.unit === 'minor' ? terms.unit : undefined };
      if (end === 'completed') return { success: true, refunded: amount, ...money, message: onItsWay };
      const needsCustomer = /^(?:requires|needs)?_?(?:customer_)?action(?:_required)?$/.test(refund.status);
      return { success: true, refund_pending: amount, ...money, message: needsCustomer ? needsTheirHelp : notDoneYet };
    },
  });
};

/** A caller who doesn't see the money rings again, and banks take days. */
const refundWindowMs = 30 * dayMs;

const notSeen = 'not_looked_up';

/** A word that isn't known says nothing about the money. */
const endOf = (refund: Refund, { statuses }: PaymentTerms): ReturnType<typeof endOfPayment> | 'unknown' => {
  const end = endOfPayment(refund, statuses);
  if (end !== 'pending' || statuses?.pending?.includes(refund.status)) return end;
  return endInWord(refund.status) === 'pending' ? end : 'unknown';
};

const onItsWay = "It is on its way to the card or account that paid. A bank takes days: don't promise a day.";
const notDoneYet = 'The refund was accepted and is not done yet: say that it is pending, and that it may still fail.';
const needsTheirHelp =
  'The refund waits for the customer, who gets instructions from the payment provider. Say so, and not that it is done.';
const anotherWay = 'A colleague has to give the money back in another way.';

const refundParameters = madeOnce(
  (terms: PaymentTerms): z.ZodType<RefundArguments> =>
    z.object({
      customer_id: id(),
      invoice_id: id(),
      payment_id: id().check(z.describe('From get_payment_status.')),
      amount: amountParameter(terms),
      reason: z.enum(reasons),
    }),
);

/** The question that the agent reads out, or the sentence for a colleague. */
const inWords = (
  { amount, payment_id, invoice_id, reason }: RefundArguments,
  { currency, unit }: PaymentTerms,
  reader: 'caller' | 'colleague',
): string => {
  const plain = unit === 'minor' ? `${amount} (in the smallest unit)` : String(amount);
  if (reader === 'caller')
    return `Shall I give ${currency ? spokenAmount({ amount, currency, unit }) : plain} back to the card or account that paid?`;
  const written = currency ? writtenAmount({ amount, currency, unit }) : plain;
  return `Give back ${written} of payment ${payment_id} for invoice ${invoice_id}: ${reason.replaceAll('_', ' ')}.`;
};
