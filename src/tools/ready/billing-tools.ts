import type { BillingClient, Customer, Invoice } from '../../billing/index.ts';
import { sumOf } from '../../billing/amount.ts';
import { outstandingOf } from '../../billing/invoices.ts';
import { AmbiguousError } from '../../core/errors.ts';
import { assertTimeZone, createLocalClock } from '../../core/local-clock.ts';
import { assertKnown, checkOptions, oneOf, type OptionCheck, type OptionNames } from '../../core/option-checks.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import { isWhole, type RecordList } from '../../core/schema.ts';
import { topEntries } from '../compact.ts';
import { certainPerson, type ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { customerNotFound, notAllowed, severalMatch } from '../failures.ts';
import {
  findCustomer,
  type LookUp,
  lookUps,
  mayFindAnyone,
  otherPersonProblem,
  personParameters,
  personToFind,
  verifiedCaller,
} from './right-person.ts';
import { paymentPageTool, type SendPaymentPage } from './payment-page-tool.ts';
import { type PaymentToolOptions, paymentTool, paymentToolChecks, type SeenIn } from './payment-tool.ts';
import { createSharedCallMemory, type StateOwner } from '../call-memory.ts';
import {
  currencyOf,
  isInCurrency,
  onlyCurrencyOf,
  openInvoicesOf,
  startSeenBilling,
  type VerifyIds,
} from './seen-billing.ts';
import { refused, type Tool } from '../tool.ts';

/** The parts of the billing tools, and their limits. */
export interface BillingToolsOptions {
  /** Looks up and pays. Its `maximumPayment`, `minorUnits`, `currency` and `unit` hold for the tools too. */
  readonly billing: BillingClient;
  /**
   * The people whose invoices may be looked up.
   * @defaultValue 'caller', or anyone once the caller has proved who they are
   */
  readonly lookup?: LookUp | undefined;
  /** The rule on looking an invoice up in this phone call before it's paid. @defaultValue 'always' */
  readonly verify?: VerifyIds | undefined;
  /** The means and conditions of `create_payment`. `false`: there is no such tool. */
  readonly payments: PaymentToolOptions | false;
  /**
   * Sends the caller the page of an open invoice, where the platform has one; without it there is no
   * `send_payment_page`.
   */
  readonly sendPaymentPage?: SendPaymentPage | undefined;
  /**
   * Shared by the processes that answer one phone call: what one of them has looked up, the others can pay.
   * @defaultValue the memory of this process
   */
  readonly phoneCallStore?: IdempotencyStore | undefined;
  /** The time zone of the business, as an IANA name: `today` and `overdue` are of its day. @defaultValue that of the client */
  readonly timeZone?: string | undefined;
}

/**
 * The tools of the default API, `lookup_customer_invoices` and `create_payment`, and `send_payment_page`. What one phone call has
 * looked up limits what it can pay.
 * Throws `InvalidArgumentError` when it isn't said what payments are made with.
 *
 * @example
 * const cardOf = ({ default_payment_method: card }: Customer) => (typeof card === 'string' ? card : undefined);
 * const bind = { payment_method_id: { fromCustomer: cardOf } };
 * const tools = billingTools({ billing, payments: { bind } });
 */
export const billingTools = (options: BillingToolsOptions): readonly Tool[] => {
  // Programs in JavaScript may leave out what the types ask for.
  checkOptions(undefined, billingToolChecks({ ...options, payments: options.payments ?? {} }));
  const { billing, payments, verify = 'always', lookup = 'caller', sendPaymentPage: send, phoneCallStore } = options;
  const { currency, canPay } = billing.paymentTerms();
  const states = createSharedCallMemory({
    name: 'billing',
    start: (kept) => startSeenBilling(currency, kept),
    toJson: (seen) => seen.toJson(),
    store: phoneCallStore,
  });
  const seenIn: SeenIn = {
    read: (context, use) => states.read(ownerOf(context), use),
    change: (context, change) => states.change(ownerOf(context), change),
  };
  return [
    lookUpTool(options, seenIn),
    ...(payments === false || !canPay ? [] : [paymentTool(billing, { ...payments, verify, seenIn })]),
    ...(send ? [paymentPageTool(billing, { send, lookup })] : []),
  ];
};

/** Returns whose state it is: two people are kept apart, even if both have one call id. */
const ownerOf = ({ tenant, callId, caller }: ToolContext): StateOwner => ({
  tenant,
  callId,
  person: certainPerson(caller),
});

const optionNames: OptionNames<BillingToolsOptions> = {
  billing: true,
  lookup: true,
  verify: true,
  payments: true,
  sendPaymentPage: true,
  phoneCallStore: true,
  timeZone: true,
};

type BillingToolSettings = Partial<Omit<BillingToolsOptions, 'payments'>> & {
  readonly payments?: Partial<PaymentToolOptions> | false | undefined;
};

/** The checks of what an application sets for the billing tools. */
export const billingToolChecks = (options: BillingToolSettings): readonly OptionCheck[] => [
  () => assertKnown(options, optionNames),
  () => assertTimeZone(options.timeZone),
  oneOf(options.lookup, 'lookup', lookUps),
  oneOf(options.verify, 'verify', ['always', 'when-known', 'never']),
  () => options.payments && checkOptions('payments', paymentToolChecks(options.payments)),
];

interface FoundInvoices {
  readonly customer: Customer;
  readonly invoices: RecordList<Invoice>;
}

const lookUpTool = ({ billing, lookup = 'caller', timeZone }: BillingToolsOptions, seenIn: SeenIn): Tool => {
  const terms = billing.paymentTerms();
  const clock = createLocalClock(timeZone ?? terms.timeZone);
  return defineTool({
    name: 'lookup_customer_invoices',
    description: "Find the caller's open invoices: how many, the total and the oldest five.",
    parameters: personParameters(),
    effect: 'read',
    slowMessage: 'One moment, I am looking up the invoices.',
    rules: [
      // Whatever the arguments are: one answer must not ask for a number that another one refuses.
      (_args, { caller }) => {
        const { phone, email } = verifiedCaller(caller, lookup);
        return phone || email || mayFindAnyone(caller, lookup)
          ? undefined
          : refused(notAllowed('verification_required', 'read').value);
      },
      (args, { caller }) => otherPersonProblem(args, verifiedCaller(caller, lookup), lookup),
      (args, { caller }) => {
        const { phone, email } = personToFind(args, { caller });
        return phone || email
          ? undefined
          : { field: 'phone', problem: 'or email must be given: the caller is not known' };
      },
    ],
    run: async (args, context) => {
      const person = personToFind(args, { caller: verifiedCaller(context.caller, lookup) });
      const canAsk = !person.email && mayFindAnyone(context.caller, lookup);
      let customer: Customer | undefined;
      try {
        customer = await findCustomer(billing, person, context.request);
      } catch (error) {
        if (!canAsk || !(error instanceof AmbiguousError) || error.original !== undefined) throw error;
        return refused(severalMatch('several_customers_match', error.count, 'read', { canAsk }).value);
      }
      if (!customer) return refused(customerNotFound());
      const open = await billing.invoices.listOpen(customer.id, context.request);
      const invoices = openInvoicesOf(customer, open.data);
      await seenIn.change(context, (seen) => seen.addLookUp(customer, invoices, isWhole(open)));
      // A count of a list that contains other invoices too says nothing.
      const isFiltered = invoices.length < open.data.length;
      const total = isFiltered ? invoices.length : open.total;
      return { customer, invoices: { data: invoices, total, hasMore: isFiltered ? !isWhole(open) : open.hasMore } };
    },
    compact: ({ customer, invoices }: FoundInvoices) => {
      const currency = terms.currency?.toUpperCase() ?? onlyCurrencyOf(invoices.data);
      const summed = invoices.data.filter((invoice) => isInCurrency(invoice, currency));
      const isMixed = summed.length < invoices.data.length;
      const hasNoSum = (isMixed && summed.length === 0) || !isWhole(invoices);
      const today = clock.at(new Date()).date;
      const dueDay = ({ due_date }: Invoice) => (due_date ? clock.dayOf(due_date) : undefined);
      return {
        customer_name: customer.name ?? null,
        invoice_count: invoices.total,
        total_outstanding: hasNoSum ? undefined : sumOf(summed.map(outstandingOf)),
        message: isWhole(invoices) ? undefined : partMessage(invoices),
        currency,
        unit: terms.unit === 'minor' ? terms.unit : undefined,
        // A model doesn't know the date.
        today: invoices.data.length > 0 ? today : undefined,
        invoices: invoices.data
          .toSorted(byDueDate)
          .slice(0, topEntries)
          .map((invoice) => ({
            id: invoice.id,
            amount: outstandingOf(invoice),
            currency: isMixed ? currencyOf(invoice) : undefined,
            due_date: dueDay(invoice) ?? invoice.due_date ?? undefined,
            overdue: (dueDay(invoice) ?? today) < today ? true : undefined,
          })),
      };
    },
  });
};

const partMessage = ({ data, hasMore }: RecordList<Invoice>): string =>
  `Only ${data.length} of them are known${hasMore ? ', and there are more' : ''}: don't say a total or which is the ` +
  'oldest. The others can not be paid here.';

/** Oldest first, those without a date last. */
const byDueDate = ({ due_date: a }: Invoice, { due_date: b }: Invoice): number => {
  if (a === b) return 0;
  if (!a || !b) return a ? -1 : 1;
  return a < b ? -1 : 1;
};
