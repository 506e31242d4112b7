import { hasAtMostDecimals, id } from '../arguments.ts';
import type { BillingClient, Customer, Invoice, PaymentTerms } from '../billing/index.ts';
import { InvalidArgumentError } from '../errors.ts';
import { type PaymentResult, takePayment } from '../calls/take-payment.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { Json } from '../ports/json.ts';
import type { RecordList } from '../schema.ts';
import * as z from '../schema.ts';
import { topEntries } from './compact.ts';
import type { LateEnd, ToolCaller } from './context.ts';
import { defineTool, isDuration } from './define-tool.ts';
import { customerNotFound, invalidArguments, notAllowed, paymentRefused } from './failures.ts';
import { firstBy } from './first-by.ts';
import { type Money, moneyWith } from './money.ts';
import { optional, ownParameters, required } from './own-parameters.ts';
import { personParameters } from './person-parameters.ts';
import { createPhoneCallState, type PhoneCallState } from './phone-call-state.ts';
import { refused } from './refused.ts';
import { isVerified, type LookUp, otherPersonProblem, personToFind, vouchedCaller } from './right-person.ts';
import {
  currencyOf,
  isInCurrency,
  onlyCurrencyOf,
  openInvoicesOf,
  outstandingOf,
  type PaymentArguments,
  type SeenBilling,
  startSeenBilling,
  type VerifyIds,
} from './seen-billing.ts';
import type { ArgumentsSchema, BoundArgument, Tool, ToolOptions } from './tool.ts';

/** What the billing tools work with, and how far they may go. */
export interface BillingToolsOptions {
  /** Looks up and pays. Its `maximumPayment`, `minorUnits`, `currency` and `unit` hold for the tools too. */
  readonly billing: BillingClient;
  /** Whose invoices may be looked up. @defaultValue 'caller', or anyone once the caller has proved who they are */
  readonly lookup?: LookUp;
  /** Whether an invoice must have been looked up in this phone call before it's paid. @defaultValue 'always' */
  readonly verify?: VerifyIds;
  /** What `create_payment` is paid with, and when it may pay. `false`: there is no such tool. */
  readonly payments: PaymentToolOptions | false;
  /**
   * Shared by the processes that answer one phone call: what one of them has looked up, the others can pay.
   * @defaultValue the memory of this process
   */
  readonly phoneCallStore?: IdempotencyStore | undefined;
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
  /** Where the arguments come from that name a customer and a card. The text `from-model` has the model supply one. */
  readonly bind: {
    /** @defaultValue 'from-lookup', the customer whom this phone call has looked up */
    readonly customer_id?: BoundArgument;
    /** The saved card or account to charge. `fromCustomer`: a field of the customer who was looked up. */
    readonly payment_method_id: BoundArgument | { readonly fromCustomer: (customer: Customer) => string | undefined };
  };
}

/** The names of the tools that {@link billingTools} gives. */
export type BillingToolName = 'lookup_customer_invoices' | 'create_payment';

/**
 * The two tools of the interface document: `lookup_customer_invoices` and `create_payment`. What one phone call has
 * looked up limits what it can pay.
 * Throws `InvalidArgumentError` when it isn't said what payments are made with.
 *
 * @example
 * const cardOf = ({ default_payment_method: card }: Customer) => (typeof card === 'string' ? card : undefined);
 * const bind = { payment_method_id: { fromCustomer: cardOf } };
 * const tools = billingTools({ billing, payments: { bind } });
 */
export const billingTools = (options: BillingToolsOptions): readonly Tool[] => {
  assertPayments(options);
  const { minorUnits, currency } = options.billing.paymentTerms();
  const money = moneyWith(minorUnits);
  const seenIn = createPhoneCallState({
    name: 'billing',
    start: (kept) => startSeenBilling(money, currency, kept),
    toJson: (seen) => seen.toJson(),
    store: options.phoneCallStore,
  });
  const lookUp = lookUpTool(options, seenIn, money);
  return options.payments === false ? [lookUp] : [lookUp, paymentTool(options, options.payments, { seenIn, money })];
};

const assertPayments = ({ payments }: BillingToolsOptions): void => {
  // Programs in JavaScript may leave out what the types ask for.
  const given: Partial<PaymentToolOptions> | false | undefined = payments;
  if (given === false) return;
  if (!isDuration(given?.chargeOnceWithinMs ?? 0))
    throw new InvalidArgumentError('payments.chargeOnceWithinMs', 'must be a number of milliseconds, 0 or more', {
      operation: 'billingTools',
    });
  if (given?.bind?.payment_method_id !== undefined) return;
  throw new InvalidArgumentError(
    'payments.bind.payment_method_id',
    'must say which saved card or account create_payment charges: a value, a function, ' +
      "{ fromCustomer: (customer) => customer.default_payment_method }, or 'from-model' to have the model supply it. " +
      'payments: false leaves the tool out',
    { operation: 'billingTools' },
  );
};

type SeenIn = PhoneCallState<SeenBilling>;

interface FoundInvoices {
  readonly customer: Customer;
  readonly invoices: RecordList<Invoice>;
}

const lookUpTool = (
  { billing, lookup = 'caller', slowMessages }: BillingToolsOptions,
  seenIn: SeenIn,
  money: Money,
): Tool => {
  const terms = billing.paymentTerms();
  return defineTool({
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
      const { customers } = billing;
      const customer =
        (phone && (await customers.search({ phone }, context.request))) ||
        (email && (await customers.search({ email }, context.request)));
      if (!customer) return refused(customerNotFound());
      const open = await billing.invoices.listOpen(customer.id, context.request);
      const invoices = openInvoicesOf(customer, open.data);
      await seenIn.change(context, (seen) => seen.addLookUp(customer, invoices));
      // A count of a list that holds other invoices too says nothing.
      const total = invoices.length === open.data.length ? open.total : invoices.length;
      return { customer, invoices: { data: invoices, total } };
    },
    compact: ({ customer, invoices }: FoundInvoices) => {
      const currency = terms.currency?.toUpperCase() ?? onlyCurrencyOf(invoices.data);
      const summed = invoices.data.filter((invoice) => isInCurrency(invoice, currency));
      const isMixed = summed.length < invoices.data.length;
      return {
        customer_name: customer.name ?? null,
        invoice_count: invoices.total,
        total_outstanding: isMixed && summed.length === 0 ? undefined : money.sum(summed.map(outstandingOf)),
        currency,
        unit: terms.unit === 'minor' ? terms.unit : undefined,
        invoices: firstBy(invoices.data, topEntries, byDueDate).map((invoice) => ({
          id: invoice.id,
          amount: outstandingOf(invoice),
          currency: isMixed ? currencyOf(invoice) : undefined,
          due_date: invoice.due_date ?? undefined,
        })),
      };
    },
  });
};

/** Oldest first, those without a date last. */
const byDueDate = ({ due_date: a }: Invoice, { due_date: b }: Invoice): number => {
  if (a === b) return 0;
  if (!a || !b) return a ? -1 : 1;
  return a < b ? -1 : 1;
};

const paymentTool = (
  options: BillingToolsOptions,
  payments: PaymentToolOptions,
  { seenIn, money }: { readonly seenIn: SeenIn; readonly money: Money },
): Tool => {
  const { billing, verify = 'always', slowMessages } = options;
  const { requires = 'caller-id', confirm = false, bind, chargeOnceWithinMs } = payments;
  const terms = billing.paymentTerms();
  return defineTool({
    name: 'create_payment',
    description: 'Pay an invoice. Only call it after the caller has agreed to the exact amount.',
    parameters: paymentParameters(terms),
    effect: 'payment',
    confirm,
    bind: {
      customer_id: customerArgument(bind.customer_id ?? 'from-lookup', seenIn),
      payment_method_id: methodArgument(bind.payment_method_id, seenIn),
    },
    slowMessage: slowMessages?.create_payment ?? 'One moment, I am taking the payment.',
    summarize: ({ amount, invoice_id }) => `Pay ${inWords(amount, terms)} for invoice ${invoice_id}.`,
    rules: [
      (_payment, { caller }) =>
        isVerified(caller, requires) ? undefined : refused(notAllowed('verification_required', 'payment').value),
      (payment, context) => seenIn.read(context, (seen) => seen.problemWith(payment, verify)),
    ],
    run: async (payment, context) => {
      const { callId, deadline, signal, idempotencyKey = '' } = context;
      const { problem, isFirst } = await seenIn.change(context, (seen) => {
        // Another payment may have been sent since the rules were asked.
        const against = seen.problemWith(payment, verify, idempotencyKey);
        return { problem: against, isFirst: !against && seen.addAttempt(idempotencyKey, payment) };
      });
      if (problem) return refused(invalidArguments([problem]).value);
      const forget = () => seenIn.change(context, (seen) => seen.removeAttempt(idempotencyKey));
      /** The payment has ended whether or not this can be remembered: then it goes on counting. */
      const remember = async (result: PaymentResult): Promise<PaymentResult> => {
        // What is said of a repetition says nothing about the first try, unless it is the API's answer to its key.
        const isRefused = !result.success && result.outcome !== 'unknown' && (isFirst || result.payment !== undefined);
        if (result.success) await seenIn.change(context, (seen) => seen.addPaid(idempotencyKey)).catch(() => {});
        else if (isRefused) await forget().catch(() => {});
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
          {
            deadline,
            signal,
            onSettled: (late) => {
              void remember(late);
              context.onSettled(toLateEnd(late));
            },
          },
        );
        return await remember(result);
      } catch (error) {
        if (isFirst) await forget().catch(() => {});
        throw error;
      }
    },
    once: {
      // The same ids at another billing API are another payment.
      what: ({ customer_id, invoice_id, amount }) => [billing.paymentTerms().baseUrl, customer_id, invoice_id, amount],
      by: ({ payment_method_id }) => payment_method_id,
      windowMs: chargeOnceWithinMs,
      note: ({ invoice_id }, context) =>
        seenIn.read(context, (seen) => ({ outstanding: seen.outstandingOf(invoice_id) ?? null })),
      mayRepeat: async ({ second_payment, invoice_id, amount }, context, note) => {
        if (second_payment !== true) return false;
        const before = outstandingIn(note);
        const now = await seenIn.read(context, (seen) => seen.outstandingOf(invoice_id));
        return before !== undefined && now !== undefined && now <= money.subtract(before, [amount]);
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

const paymentParameters = ({ maximumPayment, minorUnits, ...terms }: PaymentTerms): ArgumentsSchema<PaymentArguments> =>
  ownParameters({
    customer_id: required(id, { type: 'string', description: 'As your instructions give it.' }),
    invoice_id: required(id, { type: 'string', description: 'From the look-up.' }),
    amount: required(
      () =>
        z.number().check(
          z.gt(0),
          z.lt(maximumPayment),
          z.refine((amount) => hasAtMostDecimals(amount, minorUnits), `must have at most ${minorUnits} decimals`),
        ),
      {
        type: 'number',
        description: amountDescription(terms),
        exclusiveMinimum: 0,
        exclusiveMaximum: maximumPayment,
      },
    ),
    payment_method_id: required(id, {
      type: 'string',
      description: 'The saved card or account, as your instructions give it. Never a card number.',
    }),
    second_payment: optional(z.boolean, {
      type: 'boolean',
      description: 'Only after already_paid: true if the caller wants to pay again.',
    }),
  });

const amountDescription = ({ currency, unit }: Pick<PaymentTerms, 'currency' | 'unit'>): string => {
  const money = currency?.toUpperCase() ?? 'the currency of the invoice';
  if (unit === 'minor') {
    const example = currency ? `: 1250 is ${inMajor(1250, currency)}` : '';
    return `In the smallest unit of ${money}${example}.`;
  }
  return currency && decimalsOf(currency) === 0 ? `In ${money}, whole numbers.` : `In ${money}: 12.5 is 12.50.`;
};

/** For the one who agrees to it. */
const inWords = (amount: number, { currency, unit }: PaymentTerms): string => {
  if (!currency) return unit === 'minor' ? `${amount} (in the smallest unit)` : String(amount);
  return `${unit === 'minor' ? inMajor(amount, currency) : amount} ${currency.toUpperCase()}`;
};

/** `1250` cents are `12.50`, and 1250 yen `1250`. */
const inMajor = (amount: number, currency: string): string => {
  const decimals = decimalsOf(currency);
  return (amount / 10 ** decimals).toFixed(decimals);
};

const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** `undefined`: the model supplies it. */
const customerArgument = (bound: BoundArgument, seenIn: SeenIn): BoundArgument | undefined => {
  if (bound === 'from-model') return undefined;
  return bound === 'from-lookup'
    ? (context, args) => seenIn.read(context, (seen) => seen.customerFor(args['invoice_id'])?.id)
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
