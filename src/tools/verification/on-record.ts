import type { BillingClient, Customer } from '../../billing/index.ts';
import { isEmail } from '../../core/arguments.ts';
import { AmbiguousError } from '../../core/errors.ts';
import { readingOf, type RequestOptions } from '../../http/operation.ts';
import type { Contact, MessagingClient } from '../../messaging/index.ts';
import { callerNumber } from '../../phone-call/steps/caller-number.ts';
import { isSamePhone } from '../../phone/forms.ts';
import { isSameEmail } from '../../phone/same-person.ts';
import { isRefusal } from '../arguments.ts';
import type { ToolCaller, ToolContext } from '../context.ts';
import { notAllowed, notVerified, severalMatch } from '../failures.ts';
import { findCustomer } from '../ready/right-person.ts';
import { type Refusal, refused } from '../tool.ts';
import type { PersonOnRecord, VerificationOptions } from './verify-options.ts';

/** The places where a caller is on file. */
export interface RecordSources extends Pick<VerificationOptions, 'record'> {
  readonly messaging: Pick<MessagingClient, 'contacts'> | undefined;
  readonly billing: Pick<BillingClient, 'customers'> | undefined;
}

/** The number and the address that all records of the caller show. */
export interface OnRecord extends Details {
  /** The contact among the records. */
  readonly contactId: string | null;
}

interface Details {
  readonly phone: string | undefined;
  readonly email: string | undefined;
}

/**
 * Finds what is on file for the caller. What they said counts nowhere: a contact that this phone call or another one made
 * of words proves no more than the address itself.
 */
export const findOnRecord = async (sources: RecordSources, context: ToolContext): Promise<OnRecord | Refusal> => {
  const found = await recordsOf(sources, context);
  if (isRefusal(found)) return found;
  const { records, contactId } = found;
  const { caller } = context;
  const line = caller.claimed?.includes('phone') ? undefined : caller.phone;
  const read = records.map((record) => readRecord(record, line));
  return {
    phone: inAll(read, 'phone', isSamePhone),
    email: inAll(read, 'email', isSameEmail),
    contactId,
  };
};

interface Records {
  readonly records: readonly PersonOnRecord[];
  readonly contactId: string | null;
}

const recordsOf = async (
  { messaging, billing, record }: RecordSources,
  context: ToolContext,
): Promise<Records | Refusal> => {
  const { caller } = context;
  if (record) {
    const found = await record(context);
    return found ? { records: [found], contactId: caller.contactId ?? null } : refused(notVerified('nothing_on_file'));
  }
  const request = readingOf(context.request);
  const contact = messaging && (await findContact(messaging, caller, request));
  if (messaging && !contact) return refused(notAllowed('identify_caller_first', 'write').value);
  const customer = billing && (await findOwner(billing, caller, { request, hasContact: !!contact }));
  if (customer === 'ambiguous') return refused(severalMatch('several_customers_match', 2, 'write').value);
  const { contactId = contact?.id, customerId } = caller;
  // An answer about someone else is no record of the caller.
  const isWrong = (messaging && contact?.id !== contactId) || (billing && customerId && customer?.id !== customerId);
  const records = [contact, customer].flatMap((one): PersonOnRecord[] => (one ? [detailsOf(one)] : []));
  return isWrong || records.length === 0
    ? refused(notVerified('nothing_on_file'))
    : { records, contactId: contact?.id ?? null };
};

/** The contact that was identified, or in a process that knows of none: the one with the number of the line. */
const findContact = async (
  { contacts }: Pick<MessagingClient, 'contacts'>,
  { contactId, phone, claimed }: ToolCaller,
  request: RequestOptions,
): Promise<Contact | undefined> => {
  if (contactId) return contacts.get(contactId, request);
  if (!phone || claimed?.includes('phone')) return undefined;
  const found = await contacts.find({ phone }, request);
  return found && !found.ambiguous ? found.contact : undefined;
};

const findOwner = async (
  billing: Pick<BillingClient, 'customers'>,
  { customerId, phone, email }: ToolCaller,
  { request, hasContact }: { readonly request: RequestOptions; readonly hasContact: boolean },
): Promise<Customer | 'ambiguous' | undefined> => {
  if (customerId) return billing.customers.get(customerId, request);
  if (hasContact || !(phone || email)) return undefined;
  try {
    return await findCustomer(billing, { phone, email }, request);
  } catch (error) {
    if (!(error instanceof AmbiguousError)) throw error;
    return 'ambiguous';
  }
};

const detailsOf = (record: object): PersonOnRecord => {
  const { phone, email }: { readonly phone?: unknown; readonly email?: unknown } = record;
  return {
    phone: typeof phone === 'string' ? phone : undefined,
    email: typeof email === 'string' ? email : undefined,
  };
};

/** A number without its country is readable only if it's that of the line. */
const readRecord = ({ phone, email }: PersonOnRecord, line: string | undefined): Details => ({
  phone: phone && line && isSamePhone(line, phone) ? line : callerNumber(phone),
  email: email && isEmail(email.trim()) ? email.trim() : undefined,
});

const inAll = (
  records: readonly Details[],
  detail: keyof Details,
  same: (one: string, other: string) => boolean,
): string | undefined => {
  const first = records[0]?.[detail];
  const isShared =
    first !== undefined && records.every(({ [detail]: other }) => other !== undefined && same(first, other));
  return isShared ? first : undefined;
};
