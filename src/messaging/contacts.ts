import { toOperation } from '../api/entry.ts';
import { ClientError } from '../core/errors.ts';
import type { RequestOptions } from '../http/operation.ts';
import { createRecentRecords } from '../api/recent-records.ts';
import { checkArgument } from '../core/schema.ts';
import { type AttributeRules, writableFields } from './attributes.ts';
import type { MessagingClient } from './client.ts';
import { existingId } from './existing-id.ts';
import * as check from './fields.ts';
import { createFindContacts } from './find-contacts.ts';
import type { Contact, ContactFields, EnsuredContact } from './records.ts';
import { searchPages } from './search-pages.ts';
import { checkQuery } from './search-query.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** The operations on contacts. */
export const createContacts = <Attributes extends object>(
  workspace: Workspace<Attributes>,
  rules: AttributeRules,
  defaultAdminId: string | undefined,
): MessagingClient<Attributes>['contacts'] => {
  const { http, dialect, endpoints, methods, shareDeadline } = workspace;
  const { contacts } = methods;
  const recent = createRecentRecords<Contact<Attributes>>({ forMs: dialect.searchDelayMs });
  const { findByPhone, findByEmail, find, findExisting } = createFindContacts({ workspace, recent });

  const get: MessagingClient<Attributes>['contacts']['get'] = (contactId, call) =>
    followMerge(workspace, contactId, call, contacts.get);

  const createNew: MessagingClient<Attributes>['contacts']['create'] = async (fields, call = {}) => {
    const operation = 'messaging.contacts.create';
    const written = writableFields(rules, operation, fields);
    const { callId, lane } = call;
    const created = await http.request(
      {
        withoutKeys: { lookUp: (time) => findExisting(written, { callId, lane, ...time }) },
        ...toOperation(operation, endpoints.contacts.create, [written]),
      },
      call,
    );
    recent.remember(withWhatFinds(created, written));
    return created;
  };

  /** A contact that is archived is in the way of a new one, but nothing can be done with it. */
  const getUnlessGone = (contactId: string, call: RequestOptions): Promise<Contact<Attributes> | undefined> =>
    get(contactId, call).catch((error: unknown) => {
      if (error instanceof ClientError && error.status === 410) return undefined;
      throw error;
    });

  /** The contact that is in the way of a new one. A search may not know it yet, but the refusal can name it. */
  const findConflicting = async (
    { external_id, phone, email }: ContactFields<Attributes>,
    error: unknown,
    call: RequestOptions,
  ): Promise<EnsuredContact<Attributes> | undefined> => {
    if (!(error instanceof ClientError) || !dialect.isConflict(error)) return undefined;
    const named = existingId(error);
    if (named === undefined && !external_id) {
      if (!phone && !email) return undefined;
      const found = await find({ phone: phone ?? undefined, email: email ?? undefined }, call);
      if (found) return { ...found, created: false };
      return email ? asConflict(await takeByEmail(email, call)) : undefined;
    }
    return asConflict(
      named === undefined ? await findExisting({ external_id }, call) : await getUnlessGone(named, call),
    );
  };

  /** The contact of an address that no search knows yet, where the platform can give it. */
  const takeByEmail = async (email: string, call: RequestOptions): Promise<Contact<Attributes> | undefined> => {
    if (!dialect.contactOfEmail) return undefined;
    const taking = { ...endpoints.contacts.create, ...dialect.contactOfEmail };
    try {
      const contact = await http.request(toOperation('messaging.contacts.create', taking, [{ email }]), call);
      recent.remember(withWhatFinds(contact, { email }));
      return contact;
    } catch (error) {
      if (error instanceof ClientError) return undefined;
      throw error;
    }
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
      const existing = await findConflicting(fields, error, shared);
      if (!existing) throw error;
      return existing;
    }
  };

  /** An action after which no search gives the contact any more. */
  const removing = async (contactId: string, done: Promise<void>): Promise<void> => {
    await done;
    recent.forget(contactId);
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
      const operation = 'messaging.contacts.findOrCreate';
      const written = writableFields(rules, operation, fields);
      const { phone, email } = checkArgument(operation, check.contactFields, written);
      const { idempotencyKey, ...shared } = shareDeadline(call);
      const person = { phone: phone ?? undefined, email: email ?? undefined };
      const found = person.phone || person.email ? await find(person, shared) : undefined;
      if (found) return { ...found, created: false };
      return createOrTake(fields, shared, idempotencyKey);
    },
    update: async (contactId, fields, call) => {
      const written = writableFields(rules, 'messaging.contacts.update', fields);
      const updated = await followMerge(workspace, contactId, call, (id, call) => contacts.update(id, written, call));
      recent.refresh(withWhatFinds(updated, written));
      return updated;
    },
    search: async (query, call) => {
      const checked = checkQuery('messaging.contacts.search', query);
      return contacts.search({ query: checked }, call);
    },
    searchAll: searchPages(workspace, 'messaging.contacts.searchAll', endpoints.contacts.search),
    findByPhone,
    findByEmail,
    find,
    merge: async (two, call) => {
      const merged = await contacts.merge(two, call);
      recent.forget(two.fromId);
      return merged;
    },
    archive: (contactId, call) => removing(contactId, contacts.archive(contactId, call)),
    unarchive: contacts.unarchive,
    block: (contactId, call) => removing(contactId, contacts.block(contactId, call)),
    delete: (contactId, call) => removing(contactId, contacts.delete(contactId, call)),
    notes: {
      list: (contactId, call) => followMerge(workspace, contactId, call, contacts.notes.list),
      create: (contactId, note, call) => {
        const by = { ...note, adminId: note?.adminId ?? defaultAdminId };
        return followMerge(workspace, contactId, call, (id, call) => contacts.notes.create(id, by, call));
      },
    },
    subscriptions: {
      list: (contactId, call) => followMerge(workspace, contactId, call, contacts.subscriptions.list),
      attach: (contactId, subscription, call) =>
        followMerge(workspace, contactId, call, (id, call) => contacts.subscriptions.attach(id, subscription, call)),
      detach: (contactId, subscription, call) =>
        followMerge(workspace, contactId, call, (id, call) =>
          contacts.subscriptions.detach(id, subscription?.subscriptionTypeId, call),
        ),
    },
    tags: {
      attach: (contactId, tag, call) => {
        const by = { ...tag, adminId: tag?.adminId ?? defaultAdminId };
        return followMerge(workspace, contactId, call, (id, call) => contacts.tags.attach(id, by, call));
      },
      detach: (contactId, tag, call) =>
        followMerge(workspace, contactId, call, (id, call) => contacts.tags.detach(id, tag?.tagId, call)),
      list: (contactId, call) => followMerge(workspace, contactId, call, contacts.tags.list),
    },
  };
};

const asConflict = <Attributes extends object>(
  contact: Contact<Attributes> | undefined,
): EnsuredContact<Attributes> | undefined =>
  contact && { contact, created: false, matchedBy: 'conflict', ambiguous: false, count: 1 };

/** Some platforms answer with little more than the id: what the contact is found by is known all the same. */
const withWhatFinds = <Attributes extends object>(
  contact: Contact<Attributes>,
  { phone, email }: ContactFields,
): Contact<Attributes> => ({
  ...contact,
  phone: contact.phone ?? phone,
  email: contact.email ?? email,
});
