import { readingOf } from '../../http/operation.ts';
import { sumOf } from '../../billing/amount.ts';
import type { BillingClient, MadePayment, PaymentTerms, RecordList, Refund } from '../../billing/index.ts';
import { endOfPayment } from '../../billing/payment-outcome.ts';
import { id } from '../../core/arguments.ts';
import { createLocalClock } from '../../core/local-clock.ts';
import * as z from '../../core/schema.ts';
import { isWhole } from '../../core/schema.ts';
import { isRefusal } from '../arguments.ts';
import type { ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { customerNotFound, paymentsLookedUpNow } from '../failures.ts';
import { findOwnCustomer, type LookUp, ownCustomer } from './right-person.ts';
import type { PaymentArguments, SeenIn, SeenPayment } from './seen-billing.ts';
import { type Refusal, refused, type Tool } from '../tool.ts';

interface StatusOptions {
  readonly lookup: LookUp;
  readonly timeZone: string | undefined;
  readonly seenIn: SeenIn;
  /** A refund takes the id of a payment. */
  readonly showsIds: boolean;
}

/** A look-up of the caller's own payments. */
export interface PaymentStatus {
  readonly tool: Tool;
  /** Looks them up for a model that didn't: the refusal of its refund has them. */
  readonly lookUp: (context: ToolContext) => Promise<Refusal>;
}

const parameters = z.lazily(() =>
  z.object({
    invoice_id: z.nullish(id()).check(z.describe('From the look-up. Leave out for the latest payments.')),
  }),
);

/** Says whether the caller's payments arrived, and what was given back of them; keeps them for refunds. */
export const paymentStatus = (
  billing: BillingClient,
  { lookup, timeZone, seenIn, showsIds }: StatusOptions,
): PaymentStatus => {
  const terms = billing.paymentTerms();
  const clock = createLocalClock(timeZone ?? terms.timeZone);

  const find = async (invoiceId: string | undefined, context: ToolContext): Promise<Found | Refusal> => {
    const customer = await findOwnCustomer(billing, context, lookup);
    if (!customer) return refused(customerNotFound());
    const call = readingOf(context.request);
    const payments = await billing.payments.list({ customer_id: customer.id, invoice_id: invoiceId }, call);
    const seen = payments.data.map((one) => [one.id, seenPayment(one, terms)] as const);
    await seenIn.change(context, (state) => state.addPayments(seen));
    return { payments, unsettled: await seenIn.read(context, (state) => state.unsettled()) };
  };

  const describe = ({ payments, unsettled }: Found) => {
    const { data } = payments;
    const shown = data.toSorted(latestFirst).slice(0, mostShown);
    const currencies = new Set(data.map(({ currency }) => currency?.toUpperCase() ?? terms.currency));
    const arrived = data.filter((one) => endOfPayment(one, terms.statuses) === 'completed');
    const isOpen = unsettled.some(
      (sent) => !arrived.some((one) => one.invoice_id === sent.invoice_id && one.amount === sent.amount),
    );
    return {
      payments: shown.map((payment) => {
        const { refunds = [], created_at } = payment;
        const end = endOfPayment(payment, terms.statuses);
        return {
          id: showsIds ? payment.id : undefined,
          invoice_id: payment.invoice_id,
          amount: payment.amount,
          currency: currencies.size > 1 ? payment.currency : undefined,
          paid_on: created_at ? (clock.dayOf(created_at) ?? undefined) : undefined,
          status: end === 'completed' ? 'arrived' : end === 'refused' ? 'failed' : 'pending',
          ...refundsOf(payment, refunds ?? [], terms),
        };
      }),
      currency: currencies.size === 1 ? [...currencies][0] : undefined,
      unit: terms.unit === 'minor' ? terms.unit : undefined,
      more: data.length > shown.length || !isWhole(payments) ? true : undefined,
      message: isOpen ? isChecked : data.length === 0 ? noneIsKnown : undefined,
    };
  };

  const rule = ownCustomer(lookup, 'read');
  return {
    tool: defineTool({
      name: 'get_payment_status',
      description: "Find out if the caller's own payments arrived, and what was given back: the latest three.",
      parameters: parameters(),
      effect: 'read',
      slowMessage: 'One moment, I am looking up the payments.',
      rules: [rule],
      run: ({ invoice_id }, context) => find(invoice_id ?? undefined, context),
      compact: describe,
    }),
    lookUp: async (context) => {
      const refusal = await rule({}, context);
      const found = isRefusal(refusal) ? refusal : await find(undefined, context);
      return isRefusal(found) ? found : refused(paymentsLookedUpNow(describe(found)));
    },
  };
};

interface Found {
  readonly payments: RecordList<MadePayment>;
  readonly unsettled: readonly Pick<PaymentArguments, 'invoice_id' | 'amount'>[];
}

/** The sums that were given back, by how far each refund has come. */
const refundsOf = (payment: MadePayment, refunds: readonly Refund[], { statuses }: PaymentTerms) => {
  const sum = (end: ReturnType<typeof endOfPayment>) => {
    const amounts = refunds.filter((one) => endOfPayment(one, statuses) === end).map(({ amount }) => amount);
    return amounts.length > 0 ? sumOf(amounts) : undefined;
  };
  const all = payment.amount_refunded || undefined;
  return {
    refunded: refunds.length > 0 ? sum('completed') : all,
    refund_pending: sum('pending'),
    refund_failed: sum('refused'),
  };
};

const seenPayment = (payment: MadePayment, { statuses, currency }: PaymentTerms): SeenPayment => {
  const { customer_id: customerId, invoice_id: invoiceId } = payment;
  const isOther = payment.currency && currency && payment.currency.toUpperCase() !== currency.toUpperCase();
  if (endOfPayment(payment, statuses) !== 'completed')
    return { customerId, invoiceId, problem: 'has not arrived, so there is nothing to give back' };
  return {
    customerId,
    invoiceId,
    problem: isOther ? 'is in another currency: a colleague has to give it back' : undefined,
  };
};

/** So many fit into a result. */
const mostShown = 3;

const latestFirst = ({ created_at: a }: MadePayment, { created_at: b }: MadePayment): number =>
  (Date.parse(b ?? '') || 0) - (Date.parse(a ?? '') || 0);

const isChecked =
  'A payment of this call is still being checked and may not be listed: never say that it failed or arrived.';

const noneIsKnown =
  "No payment is known here. One that was made lately may take some days: don't say that they did not pay.";
