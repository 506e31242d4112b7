import { LRUCache } from 'lru-cache';
import type { BillingClient, Customer, Invoice } from '../billing/index.ts';
import { type CallerContext, type CallerContextOptions, callerContext, maximumAgeMs } from './steps/caller-context.ts';
import type { Scope } from './steps/ongoing-call.ts';
import type { Prefetched } from './steps/phone-call-steps.ts';
import type { Caller } from './steps/state.ts';
import { deadlineIn } from '../http/deadline.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { FoundContact, MessagingClient } from '../messaging/index.ts';
import type { RecordList } from '../core/schema.ts';
import { settleWithin } from '../core/timers.ts';

/** A part of a phone call that can be read while the agent says hello. */
export type PrefetchPart = 'callerContext' | 'invoices';

export const prefetchParts: readonly PrefetchPart[] = ['callerContext', 'invoices'];

type Person = Pick<Caller, 'phone' | 'email'>;

export interface PrefetchOptions {
  readonly callId: string;
  readonly caller: Caller;
  readonly parts: readonly PrefetchPart[];
  readonly messaging: MessagingClient | undefined;
  readonly billing: BillingClient | undefined;
  readonly settings: CallerContextOptions;
  readonly budgetMs: number;
}

/**
 * Starts to read the records that the tools of a phone call need first. Nothing is written, and a step reads again what
 * failed. `billing` is the client over these records: it answers the same look-up once without a request. It does so
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
}: PrefetchOptions): Prefetched & { readonly billing: BillingClient | undefined } => {
  const contacts = createReadAhead<FoundContact | undefined>();
  const contexts = createReadAhead<CallerContext>();
  const call: RequestOptions = { callId, deadline: deadlineIn(budgetMs) };
  const { phone, email, contactId } = caller;

  const readContext = async (client: MessagingClient) => {
    const readFor = (person: Pick<Parameters<typeof callerContext>[1], 'contact' | 'contactId'>, id: string) =>
      contexts.begin(id, () => callerContext({ messaging: client }, { callId, ...person }, { ...settings, ...call }));
    if (contactId !== undefined) return readFor({ contactId }, contactId);
    if (!phone && !email) return undefined;
    const found = await contacts.begin(keyOf({ phone, email }), () =>
      client.contacts.find({ phone: phone || undefined, email: email || undefined }, call),
    );
    return found && readFor({ contact: found.contact }, found.contact.id);
  };

  if (messaging && parts.includes('callerContext')) void readContext(messaging);
  return {
    takeContact: async (person, within) => (await contacts.take(keyOf(person), within))?.value,
    takeContext: async (id, within) => (await contexts.take(id, within))?.value,
    billing: billing && parts.includes('invoices') ? readInvoices(billing, { phone, email, call }) : billing,
  };
};

/** One answer that is read before a step needs it. */
interface ReadAhead<Value> {
  /** Starts reading. Gives what it reads, `undefined` when that fails: the step that needs it reads again. */
  begin(key: string, read: () => Promise<Value>): Promise<Value | undefined>;
  /**
   * Returns the answer of this key, once. Waits for it as long as the step's time allows. `undefined`: there is
   * nothing, or it failed, is too old, was taken or forgotten.
   */
  take(key: string, within: Scope): Promise<{ readonly value: Value } | undefined>;
  /** Forgets the answer: it may have changed since. */
  forget(): void;
}

const createReadAhead = <Value>(): ReadAhead<Value> => {
  const reads = new LRUCache<string, Promise<Value>>({ max: 1, ttl: maximumAgeMs });
  return {
    begin: (key, read) => {
      const started = read();
      reads.set(key, started);
      return started.catch(() => undefined);
    },
    take: async (key, within) => {
      const read = reads.get(key);
      reads.delete(key);
      try {
        return read && { value: await settleWithin(read, within) };
      } catch {
        // A step that is out of time gets its error from the request that it sends itself.
        return undefined;
      }
    },
    forget: () => reads.clear(),
  };
};

const keyOf = ({ phone, email }: Person): string => JSON.stringify([phone ?? null, email ?? null]);

const readInvoices = (
  billing: BillingClient,
  { phone, email, call }: Person & { readonly call: RequestOptions },
): BillingClient => {
  const customers = createReadAhead<Customer | undefined>();
  const invoices = createReadAhead<RecordList<Invoice>>();

  const begin = async (by: Parameters<BillingClient['customers']['find']>[0]) => {
    const customer = await customers.begin(JSON.stringify(by), () => billing.customers.find(by, call));
    if (customer) await invoices.begin(customer.id, () => billing.invoices.listOpen(customer.id, call));
  };
  if (phone) void begin({ phone });
  else if (email) void begin({ email });

  return {
    ...billing,
    customers: {
      ...billing.customers,
      find: async (by, own = {}) => {
        const read = await customers.take(JSON.stringify(by), scopeOf(own));
        return read ? read.value : billing.customers.find(by, own);
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
