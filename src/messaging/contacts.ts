import { id } from '../arguments.ts';
import type { Clock } from '../clock.ts';
import { isClientError } from '../errors.ts';
import type { RequestOptions } from '../http/operation.ts';
import { sendAgain } from '../http/repeat.ts';
import { checkArgument, readList, readNothing } from '../schema.ts';
import type { AttributeRules } from './attributes.ts';
import type { MessagingClient } from './client.ts';
import { contactPages } from './contact-pages.ts';
import { existingId } from './existing-id.ts';
import * as check from './fields.ts';
import { createFindContacts } from './find-contacts.ts';
import * as read from './readers.ts';
import { createRecentContacts } from './recent-contacts.ts';
import type { Contact, ContactFields, EnsuredContact } from './records.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** The operations on contacts. */
export const createContacts = <Attributes extends object>(
  workspace: Workspace,
  rules: AttributeRules,
  defaultAdminId: string | undefined,
  clock: Clock,
): MessagingClient<Attributes>['contacts'] => {
  const { http, dialect, shareDeadline } = workspace;
  const contact = read.contactReader<Attributes>(rules);
  const contacts = readList(contact, { under: ['data', 'contacts'] });
  const recent = createRecentContacts<Attributes>({ clock, forMs: dialect.searchDelayMs });
  const { findByPhone, findByEmail, find, findExisting } = createFindContacts({ workspace, contacts, contact, recent });

  const checkFields = (operation: string, fields: ContactFields<Attributes>): ContactFields => {
    const { custom_attributes, ...checked } = checkArgument(operation, check.contactFields, fields);
    if (custom_attributes === undefined) return checked;
    return { ...checked, custom_attributes: rules.assertWritable(operation, custom_attributes) };
  };

  const get: MessagingClient<Attributes>['contacts']['get'] = async (contactId, call) => {
    const operation = 'messaging.contacts.get';
    const checkedId = checkArgument(operation, id, contactId, 'id');
    return followMerge(workspace, checkedId, call, (id, call) =>
      http.request({ operation, ...dialect.getContact(id), returns: contact }, call),
    );
  };

  const createNew: MessagingClient<Attributes>['contacts']['create'] = async (fields, call = {}) => {
    const operation = 'messaging.contacts.create';
    const checked = checkFields(operation, fields);
    const { callId, lane } = call;
    const created = await http.request(
      {
        operation,
        withoutKeys: { lookUp: (time) => findExisting(checked, { callId, lane, ...time }) },
        ...dialect.createContact(checked),
        returns: contact,
      },
      call,
    );
    recent.remember(withWhatFinds(created, checked));
    return created;
  };

  /** A contact that is archived is in the way of a new one, but nothing can be done with it. */
  const getUnlessGone = (contactId: string, call: RequestOptions): Promise<Contact<Attributes> | undefined> =>
    get(contactId, call).catch((error: unknown) => {
      if (isClientError(error) && (error.status === 404 || error.status === 410)) return undefined;
      throw error;
    });

  /** The contact that is in the way of a new one. A search may not know it yet, but the refusal can name it. */
  const findConflicting = async (
    { external_id, phone, email }: ContactFields,
    error: unknown,
    call: RequestOptions,
  ): Promise<EnsuredContact<Attributes> | undefined> => {
    if (!isClientError(error) || error.status !== 409) return undefined;
    const named = existingId(error);
    if (named === undefined && !external_id) {
      if (!phone && !email) return undefined;
      const found = await find({ phone: phone ?? undefined, email: email ?? undefined }, call);
      return found && { ...found, created: false };
    }
    const known = named === undefined ? await findExisting({ external_id }, call) : await getUnlessGone(named, call);
    return known && { contact: known, created: false, matchedBy: 'conflict', ambiguous: false, count: 1 };
  };

  /** `shared` has one deadline for all requests, and no key. */
  const createOrTake = async (
    fields: ContactFields<Attributes>,
    shared: RequestOptions,
    idempotencyKey: string | undefined,
  ): Promise<EnsuredContact<Attributes>> => {
    try {
      const made = await createNew(fields, { ...shared, idempotencyKey });
      return { contact: made, created: true, matchedBy: 'nothing', ambiguous: false, count: 1 };
    } catch (error) {
      const existing = await findConflicting(checkFields('messaging.contacts.create', fields), error, shared);
      if (!existing) throw error;
      return existing;
    }
  };

  return {
    get,
    declaresAttribute: rules.declares,
    create: async (fields, call) => {
      if (!dialect.conflictGivesContact) return createNew(fields, call);
      const { idempotencyKey, ...shared } = shareDeadline(call);
      return (await createOrTake(fields, shared, idempotencyKey)).contact;
    },
    findOrCreate: async (fields, call) => {
      const checked = checkFields('messaging.contacts.findOrCreate', fields);
      const { idempotencyKey, ...shared } = shareDeadline(call);
      const person = { phone: checked.phone ?? undefined, email: checked.email ?? undefined };
      const found = person.phone || person.email ? await find(person, shared) : undefined;
      if (found) return { ...found, created: false };
      return createOrTake(fields, shared, idempotencyKey);
    },
    update: async (contactId, fields, call) => {
      const operation = 'messaging.contacts.update';
      const checkedId = checkArgument(operation, id, contactId, 'id');
      const checked = checkFields(operation, fields);
      const updated = await followMerge(workspace, checkedId, call, (id, call) =>
        http.request(
          { operation, withoutKeys: sendAgain, ...dialect.updateContact(id, checked), returns: contact },
          call,
        ),
      );
      recent.refresh(withWhatFinds(updated, checked));
      return updated;
    },
    search: async (query, call) => {
      const operation = 'messaging.contacts.search';
      const endpoint = dialect.searchContacts(check.checkContactQuery(operation, query));
      return http.request({ operation, ...endpoint, effect: 'read', returns: contacts }, call);
    },
    searchAll: contactPages(workspace, contacts),
    findByPhone,
    findByEmail,
    find,
    tags: {
      attach: async (contactId, tag, call) => {
        const operation = 'messaging.contacts.tags.attach';
        const checkedId = checkArgument(operation, id, contactId, 'contactId');
        const { tagId, adminId = defaultAdminId } = checkArgument(operation, check.tagged, tag);
        return followMerge(workspace, checkedId, call, (id, call) =>
          http.request(
            { operation, withoutKeys: sendAgain, ...dialect.attachContactTag(id, tagId, adminId), returns: read.tag },
            call,
          ),
        );
      },
      detach: async (contactId, tag, call) => {
        const operation = 'messaging.contacts.tags.detach';
        const checkedId = checkArgument(operation, id, contactId, 'contactId');
        const { tagId } = checkArgument(operation, check.tagged, tag);
        return followMerge(workspace, checkedId, call, (id, call) =>
          http.request({ operation, ...dialect.detachContactTag(id, tagId), returns: readNothing }, call),
        );
      },
      list: async (contactId, call) => {
        const operation = 'messaging.contacts.tags.list';
        const checkedId = checkArgument(operation, id, contactId, 'contactId');
        return followMerge(workspace, checkedId, call, (id, call) =>
          http.request({ operation, ...dialect.listContactTags(id), returns: read.tags }, call),
        );
      },
    },
  };
};

/** Some platforms answer with little more than the id: what the contact is found by is known all the same. */
const withWhatFinds = <Attributes extends object>(
  contact: Contact<Attributes>,
  { phone, email }: ContactFields,
): Contact<Attributes> => ({
  ...contact,
  phone: contact.phone ?? phone,
  email: contact.email ?? email,
});
