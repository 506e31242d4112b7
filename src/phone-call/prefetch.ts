import type { BillingClient, Customer, Invoice } from '../billing/index.ts';
import { type CallerContext, type CallerContextOptions, callerContext } from '../calls/index.ts';
import type { Clock } from '../clock.ts';
import { deadlineIn } from '../http/deadline.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { FoundContact, MessagingClient } from '../messaging/index.ts';
import type { RecordList } from '../schema.ts';
import type { Caller } from './caller.ts';
import { createReadAhead } from './read-ahead.ts';
import type { Scope } from './scope.ts';

/** What can be read while the agent says hello. */
export type PrefetchPart = 'callerContext' | 'invoices';

/** What a phone call has begun to read before anybody asked. Each answer is given once. */
export interface Prefetched {
  /** The contact of this person, where there is one. */
  takeContact(person: Person, within: Scope): Promise<FoundContact | undefined>;
  takeContext(contactId: string, within: Scope): Promise<CallerContext | undefined>;
}

type Person = Pick<Caller, 'phone' | 'email'>;

export interface PrefetchOptions {
  readonly callId: string;
  readonly caller: Caller;
  readonly parts: readonly PrefetchPart[];
  readonly messaging: MessagingClient | undefined;
  readonly billing: BillingClient | undefined;
  readonly settings: CallerContextOptions;
  readonly budgetMs: number;
  readonly clock: Clock;
}

/**
 * Starts to read what the tools of a phone call will ask for first. Nothing is written, and what fails is read again by
 * whoever needs it. `billing` is the client over what was read: it answers the same look-up once without a request,
 * within half a minute, and not after a payment.
 */
export const prefetch = ({
  callId,
  caller,
  parts,
  messaging,
  billing,
  settings,
  budgetMs,
  clock,
}: PrefetchOptions): Prefetched & { readonly billing: BillingClient | undefined } => {
  const options = { clock, maximumAgeMs };
  const contacts = createReadAhead<FoundContact | undefined>(options);
  const contexts = createReadAhead<CallerContext>(options);
  const call: RequestOptions = { callId, deadline: deadlineIn(budgetMs, { clock }) };
  const { phone, email, contactId } = caller;

  const readContext = async (client: MessagingClient) => {
    const readFor = (person: Pick<Parameters<typeof callerContext>[1], 'contact' | 'contactId'>, id: string) =>
      contexts.begin(id, () => callerContext({ messaging: client }, { callId, ...person }, { ...settings, ...call }));
    if (contactId !== undefined) return readFor({ contactId }, contactId);
    if (!phone && !email) return undefined;
    const found = await contacts.begin(keyOf({ phone, email }), () =>
      client.contacts.find({ ...(phone && { phone }), ...(email && { email }) }, call),
    );
    return found && readFor({ contact: found.contact }, found.contact.id);
  };

  if (messaging && parts.includes('callerContext')) void readContext(messaging);
  return {
    takeContact: async (person, within) => (await contacts.take(keyOf(person), within))?.value,
    takeContext: async (id, within) => (await contexts.take(id, within))?.value,
    billing: billing && parts.includes('invoices') ? readInvoices(billing, { phone, email, call, options }) : billing,
  };
};

/** How long what was read counts as the present: longer than a greeting. */
export const maximumAgeMs = 30_000;

const keyOf = ({ phone, email }: Person): string => JSON.stringify([phone ?? null, email ?? null]);

const readInvoices = (
  billing: BillingClient,
  {
    phone,
    email,
    call,
    options,
  }: Person & {
    readonly call: RequestOptions;
    readonly options: { readonly clock: Clock; readonly maximumAgeMs: number };
  },
): BillingClient => {
  const customers = createReadAhead<Customer | undefined>(options);
  const invoices = createReadAhead<RecordList<Invoice>>(options);

  const begin = async (by: Parameters<BillingClient['customers']['search']>[0]) => {
    const customer = await customers.begin(JSON.stringify(by), () => billing.customers.search(by, call));
    if (customer) await invoices.begin(customer.id, () => billing.invoices.listOpen(customer.id, call));
  };
  if (phone) void begin({ phone });
  else if (email) void begin({ email });

  return {
    ...billing,
    customers: {
      ...billing.customers,
      search: async (by, own = {}) => {
        const read = await customers.take(JSON.stringify(by), scopeOf(own));
        return read ? read.value : billing.customers.search(by, own);
      },
    },
    invoices: {
      ...billing.invoices,
      listOpen: async (customerId, own = {}) => {
        const read = await invoices.take(customerId, scopeOf(own));
        return read ? read.value : billing.invoices.listOpen(customerId, own);
      },
    },
    payments: {
      ...billing.payments,
      create: (payment, own) => {
        invoices.forget();
        return billing.payments.create(payment, own);
      },
    },
  };
};

/** A number of milliseconds begins with the request. */
const scopeOf = ({ deadline, signal }: RequestOptions): Scope => ({
  deadline: typeof deadline === 'number' ? undefined : deadline,
  signal,
});
