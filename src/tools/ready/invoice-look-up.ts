import type { BillingClient, Customer, Invoice, PaymentTerms } from '../../billing/index.ts';
import { sumOf } from '../../billing/amount.ts';
import { outstandingOf } from '../../billing/invoices.ts';
import { AmbiguousError } from '../../core/errors.ts';
import { createLocalClock, type LocalClock } from '../../core/local-clock.ts';
import { isWhole, type RecordList } from '../../core/schema.ts';
import { isRefusal } from '../arguments.ts';
import { topEntries } from '../compact.ts';
import { isVerified, type ToolCaller, type ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { customerNotFound, lookedUpNow, notAllowed, severalMatch } from '../failures.ts';
import { type Refusal, refused, type Tool } from '../tool.ts';
import {
  findCustomer,
  isCaller,
  type LookUp,
  mayFindAnyone,
  namedCustomerId,
  otherPersonProblem,
  type PersonDetails,
  personParameters,
  personToFind,
  verifiedCaller,
} from './right-person.ts';
import { currencyOf, isInCurrency, onlyCurrencyOf, openInvoicesOf, type SeenIn } from './seen-billing.ts';

interface LookUpOptions {
  readonly billing: BillingClient;
  readonly lookup?: LookUp | undefined;
  readonly timeZone?: string | undefined;
}

/** A look-up of open invoices. */
export interface InvoiceLookUp {
  readonly tool: Tool;
  /** Looks the caller's invoices up for a model that didn't: the refusal of its payment has them. */
  readonly lookUp: (context: ToolContext) => Promise<Refusal>;
}

/** Finds the invoices of a person, and remembers them for payments. */
export const createInvoiceLookUp = (
  { billing, lookup = 'caller', timeZone }: LookUpOptions,
  seenIn: SeenIn,
): InvoiceLookUp => {
  const terms = billing.paymentTerms();
  const clock = createLocalClock(timeZone ?? terms.timeZone);
  const describe = (found: FoundInvoices) => describeInvoices(found, terms, clock);
  const find = async (args: PersonDetails, context: ToolContext): Promise<FoundInvoices | Refusal> => {
    const customer = await findOwner(args, context, { billing, lookup });
    if (!customer) return refused(customerNotFound());
    if (isRefusal(customer)) return customer;
    const open = await billing.invoices.listOpen(customer.id, context.request);
    const invoices = openInvoicesOf(customer, open.data);
    await seenIn.change(context, (seen) => seen.addLookUp(customer, invoices, isWhole(open)));
    // A count of a list that contains other invoices too says nothing.
    const isFiltered = invoices.length < open.data.length;
    const total = isFiltered ? invoices.length : open.total;
    return { customer, invoices: { data: invoices, total, hasMore: isFiltered ? !isWhole(open) : open.hasMore } };
  };
  const tool = defineTool({
    name: 'lookup_customer_invoices',
    description: "Find the caller's open invoices: how many, the total and the oldest five.",
    parameters: personParameters(),
    effect: 'read',
    slowMessage: 'One moment, I am looking up the invoices.',
    rules: [
      // Whatever the arguments are: one answer must not ask for a number that another one refuses.
      (_args, { caller }) => strangerProblem(caller, lookup),
      (args, { caller }) => otherPersonProblem(args, verifiedCaller(caller, lookup), lookup),
      (args, { caller }) => {
        const { phone, email } = personToFind(args, { caller });
        return phone || email || caller.customerId
          ? undefined
          : { field: 'phone', problem: 'or email must be given: the caller is not known' };
      },
    ],
    run: find,
    compact: describe,
  });
  return {
    tool,
    lookUp: async (context) => {
      const found = strangerProblem(context.caller, lookup) ?? (await find({}, context));
      return isRefusal(found) ? found : refused(lookedUpNow(describe(found)));
    },
  };
};

interface FoundInvoices {
  readonly customer: Customer;
  readonly invoices: RecordList<Invoice>;
}

/** Refuses someone of whom nothing is certain. */
const strangerProblem = (caller: ToolCaller, lookup: LookUp): Refusal | undefined => {
  const { phone, email, customerId } = verifiedCaller(caller, lookup);
  const isKnown = isVerified(caller, 'caller-id') ? phone || email || customerId : caller.isOnLine && phone;
  return isKnown || mayFindAnyone(caller, lookup)
    ? undefined
    : refused(notAllowed('verification_required', 'read').value);
};

/** Finds the customer whom the application named, or who has these details. */
const findOwner = async (
  args: PersonDetails,
  { caller, request }: ToolContext,
  { billing, lookup }: { readonly billing: BillingClient; readonly lookup: LookUp },
): Promise<Customer | Refusal | undefined> => {
  const named = namedCustomerId(caller);
  if (named && isCaller(args, caller)) return billing.customers.get(named, request);
  const person = personToFind(args, { caller: verifiedCaller(caller, lookup) });
  const canAsk = !person.email && mayFindAnyone(caller, lookup);
  try {
    return await findCustomer(billing, person, request);
  } catch (error) {
    if (!canAsk || !(error instanceof AmbiguousError) || error.original !== undefined) throw error;
    return refused(severalMatch('several_customers_match', error.count, 'read', { canAsk }).value);
  }
};

/** Returns what a model reads of the invoices. */
const describeInvoices = ({ customer, invoices }: FoundInvoices, terms: PaymentTerms, clock: LocalClock) => {
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
