import { toOperation } from '../api/entry.ts';
import { e164, email } from '../core/arguments.ts';
import type { RequestOptions } from '../http/operation.ts';
import { isSamePhone } from '../phone/forms.ts';
import { isOtherPerson } from '../phone/same-person.ts';
import type { RecentRecords } from '../api/recent-records.ts';
import * as z from '../core/schema.ts';
import { checkArgument } from '../core/schema.ts';
import { parseTimestamp } from '../core/timestamp.ts';
import type {
  Contact,
  ContactFields,
  ContactMatch,
  Contacts,
  ContactsWorkspace,
  FoundContact,
  PersonQuery,
} from './contacts.ts';
import type { SearchCondition, SearchQuery } from './search.ts';

const personQuery = z.lazily<PersonQuery>(() =>
  z.object({ phone: z.optional(e164()), email: z.optional(email()) }).check(
    z.refine(({ phone, email }) => phone !== undefined || email !== undefined, {
      path: ['phone'],
      message: 'or email must be given',
    }),
  ),
);

/** The operations that look for one person, and the look-up of a contact whose creation is in doubt. */
export const createFindContacts = <Attributes extends object>({
  workspace: { http, dialect, endpoints, methods, shareDeadline },
  recent,
}: {
  readonly workspace: ContactsWorkspace<Attributes>;
  readonly recent: RecentRecords<Contact<Attributes>>;
}) => {
  /** Matches what a search found, and contacts that it may not know yet. `trusted`: it searched by this value alone. */
  const match = (
    found: readonly Contact<Attributes>[],
    { field, value, trusted }: { readonly field: 'phone' | 'email'; readonly value: string; readonly trusted: boolean },
  ): ContactMatch<Attributes> | undefined => {
    const formats = field === 'phone' ? dialect.phoneFormats(value) : [];
    return (
      matchContact(found, { field, value, formats, trusted }) ?? matchContact(recent.all(), { field, value, formats })
    );
  };

  const searchFor = async (operation: string, query: SearchQuery, call: RequestOptions | undefined) => {
    const { data } = await http.request(toOperation(operation, endpoints.contacts.search, [{ query }]), call);
    return data;
  };

  /** Phone and address in one request, where the dialect can. */
  const queryFor = dialect.findContacts ?? conditionOf;

  const findByPhone: Contacts<Attributes>['findByPhone'] = async (value, call) => {
    const operation = 'messaging.contacts.findByPhone';
    const phone = checkArgument(operation, e164, value, 'phone');
    return match(await searchFor(operation, queryFor({ phone }), call), {
      field: 'phone',
      value: phone,
      trusted: true,
    });
  };

  const findByEmail: Contacts<Attributes>['findByEmail'] = async (value, call) => {
    const operation = 'messaging.contacts.findByEmail';
    const address = normaliseEmail(checkArgument(operation, email, value, 'email'));
    const shared = shareDeadline(call);
    const found = await searchFor(operation, queryFor({ email: address }), shared);
    return match(found, { field: 'email', value: address, trusted: true }) ?? ownerOf(found, address, shared);
  };

  /** Among what a search gave, the one who has it as another address. */
  const ownerOf = async (
    found: readonly Contact<Attributes>[],
    address: string,
    call: RequestOptions,
  ): Promise<ContactMatch<Attributes> | undefined> => {
    const { addressesOf } = methods.contacts;
    if (!addressesOf) return undefined;
    for (const contact of found.slice(0, 3)) {
      const addresses = await addressesOf(contact.id, call);
      if (addresses.some((one) => normaliseEmail(one) === address)) return { contact, ambiguous: false, count: 1 };
    }
    return undefined;
  };

  const find: Contacts<Attributes>['find'] = async (by, call) => {
    const operation = 'messaging.contacts.find';
    const { phone, email: address } = checkArgument(operation, personQuery, by);
    const shared = shareDeadline(call);
    if (dialect.findContacts && phone !== undefined && address !== undefined) {
      const email = normaliseEmail(address);
      const found = await searchFor(operation, dialect.findContacts({ phone, email }), shared);
      return choosePerson(
        match(found, { field: 'phone', value: phone, trusted: false }),
        match(found, { field: 'email', value: email, trusted: false }),
      );
    }
    const byPhone = phone === undefined ? undefined : await findByPhone(phone, shared);
    const isDecided = address === undefined || (byPhone !== undefined && !byPhone.ambiguous);
    return choosePerson(byPhone, isDecided ? undefined : await findByEmail(address, shared));
  };

  /** Looks for a contact by the surest of what is known of it. */
  const findExisting = async (
    { external_id, email: address, phone }: ContactFields,
    call: RequestOptions,
  ): Promise<Contact<Attributes> | undefined> => {
    if (external_id && dialect.findsByExternalId) return methods.contacts.getByExternalId(external_id, call);
    if (external_id) {
      const query = { field: 'external_id', operator: '=', value: external_id };
      const data = await searchFor('messaging.contacts.search', query, call);
      return data.find((found) => found.external_id === external_id);
    }
    const found = address ? await findByEmail(address, call) : await findByPhone(phone ?? '', call);
    return found?.contact;
  };

  return { findByPhone, findByEmail, find, findExisting };
};

/** The one thing that is looked for, as a single condition. */
const conditionOf = ({ phone, email: address = '' }: PersonQuery): SearchCondition =>
  phone === undefined
    ? { field: 'email', operator: '=', value: address }
    : { field: 'phone', operator: '=', value: phone };

/** The value that contacts are compared with. */
export interface MatchBy {
  readonly field: 'phone' | 'email';
  /** E.164, or an address in lower case. */
  readonly value: string;
  /** Further ways in which the same number may be written. */
  readonly formats?: readonly string[] | undefined;
  /** The API found them by exactly this value: a record that doesn't show the field counts too. */
  readonly trusted?: boolean | undefined;
}

/**
 * Chooses among the results of a search. Only contacts with this number or address count, however it's formatted, and
 * the most recently updated of them wins. A platform that finds by similarity can't make a stranger the caller.
 */
export const matchContact = <Attributes extends object>(
  contacts: readonly Contact<Attributes>[],
  { field, value, formats = [], trusted = false }: MatchBy,
): ContactMatch<Attributes> | undefined => {
  const isSame = (own: string) =>
    field === 'phone'
      ? isSamePhone(value, own) || formats.includes(own.trim())
      : normaliseEmail(own) === normaliseEmail(value);
  const exact = contacts.filter((contact) => {
    const shown = field === 'phone' ? [contact.phone, contact['formatted_phone']] : [contact.email];
    const values = shown.filter((own) => typeof own === 'string');
    const hidesIt = shown.every((own) => own === undefined) && !isOtherPerson(contact, { [field]: value });
    return values.some(isSame) || (trusted && hidesIt);
  });
  const distinct = [...new Map(exact.map((contact) => [contact.id, contact])).values()];
  const [contact] = distinct.toSorted((one, other) => timeOf(other) - timeOf(one));
  return contact && { contact, ambiguous: distinct.length > 1, count: distinct.length };
};

/**
 * Decides between what was found by phone and by e-mail: the phone, unless several contacts share it and the address
 * identifies one of them.
 */
const choosePerson = <Attributes extends object>(
  byPhone: ContactMatch<Attributes> | undefined,
  byEmail: ContactMatch<Attributes> | undefined,
): FoundContact<Attributes> | undefined => {
  if (byPhone && !byPhone.ambiguous) return { matchedBy: 'phone', ...byPhone };
  if (byEmail && !(byPhone && byEmail.ambiguous)) return { matchedBy: 'email', ...byEmail };
  return byPhone && { matchedBy: 'phone', ...byPhone };
};

const normaliseEmail = (email: string): string => email.trim().toLowerCase();

/** The time of the last update. One that can't be read is older than all others. */
const timeOf = ({ updated_at }: Contact<object>): number => parseTimestamp(updated_at) ?? 0;
