import { e164, email } from '../arguments.ts';
import type { RequestOptions } from '../http/operation.ts';
import { checkArgument, type Reader, type RecordList } from '../schema.ts';
import type { MessagingClient } from './client.ts';
import type { PersonQuery } from './dialect.ts';
import * as check from './fields.ts';
import { choosePerson, matchContact, normaliseEmail } from './match-contact.ts';
import type { RecentContacts } from './recent-contacts.ts';
import type { Contact, ContactCondition, ContactFields, ContactMatch } from './records.ts';
import type { Workspace } from './workspace.ts';

/** What the finding operations stand on. */
export interface FindContactsOptions<Attributes extends object> {
  readonly workspace: Workspace;
  readonly contacts: Reader<RecordList<Contact<Attributes>>>;
  readonly contact: Reader<Contact<Attributes>>;
  readonly recent: RecentContacts<Attributes>;
}

/** The operations that look for one person, and the look-up of a contact whose creation is in doubt. */
export const createFindContacts = <Attributes extends object>({
  workspace,
  contacts,
  contact,
  recent,
}: FindContactsOptions<Attributes>) => {
  const { http, dialect, shareDeadline } = workspace;

  /** What a search gave, and those that it may not know yet. `trusted`: it was searched by this value alone. */
  const match = (
    found: readonly Contact<Attributes>[],
    { field, value, trusted }: { readonly field: 'phone' | 'email'; readonly value: string; readonly trusted: boolean },
  ): ContactMatch<Attributes> | undefined => {
    const formats = field === 'phone' ? dialect.phoneFormats(value) : [];
    return (
      matchContact(found, { field, value, formats, trusted }) ?? matchContact(recent.all(), { field, value, formats })
    );
  };

  /** Phone and address in one request, where the dialect can. */
  const searchFor = async (operation: string, by: PersonQuery, call: RequestOptions | undefined) => {
    const endpoint = dialect.findContacts?.(by) ?? dialect.searchContacts(conditionOf(by));
    const { data } = await http.request({ operation, ...endpoint, effect: 'read', returns: contacts }, call);
    return data;
  };

  const findByPhone: MessagingClient<Attributes>['contacts']['findByPhone'] = async (given, call) => {
    const operation = 'messaging.contacts.findByPhone';
    const phone = checkArgument(operation, e164, given, 'phone');
    return match(await searchFor(operation, { phone }, call), { field: 'phone', value: phone, trusted: true });
  };

  const findByEmail: MessagingClient<Attributes>['contacts']['findByEmail'] = async (given, call) => {
    const operation = 'messaging.contacts.findByEmail';
    const address = normaliseEmail(checkArgument(operation, email, given, 'email'));
    return match(await searchFor(operation, { email: address }, call), {
      field: 'email',
      value: address,
      trusted: true,
    });
  };

  const find: MessagingClient<Attributes>['contacts']['find'] = async (by, call) => {
    const operation = 'messaging.contacts.find';
    const { phone, email: address } = checkArgument(operation, check.personQuery, by);
    const shared = shareDeadline(call);
    if (dialect.findContacts && phone !== undefined && address !== undefined) {
      const email = normaliseEmail(address);
      const found = await searchFor(operation, { phone, email }, shared);
      return choosePerson(
        match(found, { field: 'phone', value: phone, trusted: false }),
        match(found, { field: 'email', value: email, trusted: false }),
      );
    }
    const byPhone = phone === undefined ? undefined : await findByPhone(phone, shared);
    const isDecided = address === undefined || (byPhone !== undefined && !byPhone.ambiguous);
    return choosePerson(byPhone, isDecided ? undefined : await findByEmail(address, shared));
  };

  /** Whether the contact is there already, by the surest of what is known of it. */
  const findExisting = async (
    { external_id, email: address, phone }: ContactFields,
    call: RequestOptions,
  ): Promise<Contact<Attributes> | undefined> => {
    if (external_id && dialect.getContactByExternalId) {
      const operation = 'messaging.contacts.getByExternalId';
      const endpoint = dialect.getContactByExternalId(external_id);
      const returns: Reader<Contact<Attributes> | undefined> = (json, context) =>
        json === undefined ? undefined : contact(json, context);
      return http.request({ operation, ...endpoint, absentOn404: true, returns }, call);
    }
    if (external_id) {
      const endpoint = dialect.searchContacts({ field: 'external_id', operator: '=', value: external_id });
      const operation = 'messaging.contacts.search';
      const { data } = await http.request({ operation, ...endpoint, effect: 'read', returns: contacts }, call);
      return data.find((found) => found.external_id === external_id);
    }
    const found = address ? await findByEmail(address, call) : await findByPhone(phone ?? '', call);
    return found?.contact;
  };

  return { findByPhone, findByEmail, find, findExisting };
};

/** The one thing that is looked for, as a single condition. */
const conditionOf = ({ phone, email: address = '' }: PersonQuery): ContactCondition =>
  phone === undefined
    ? { field: 'email', operator: '=', value: address }
    : { field: 'phone', operator: '=', value: phone };
