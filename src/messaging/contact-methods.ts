import { toOperation } from '../api/entry.ts';
import { createRecentRecords, type RecentRecords } from '../api/recent-records.ts';
import { createUnclearWrites } from '../api/unclear-writes.ts';
import { ClientError, UnexpectedResponseError } from '../core/errors.ts';
import { checkArgument } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import { isSamePhone } from '../phone/forms.ts';
import { isSameEmail } from '../phone/same-person.ts';
import { type AttributeRules, writableFields } from './attributes.ts';
import { createContactNotes } from './contact-notes.ts';
import {
  type Contact,
  type ContactFields,
  contactFields,
  type Contacts,
  type ContactsWorkspace,
  type EnsuredContact,
  type PersonQuery,
} from './contacts.ts';
import { existingId } from './existing-id.ts';
import { createFindContacts } from './find-contacts.ts';
import { createSearch } from './search.ts';
import { createContactSubscriptions } from './subscriptions.ts';
import { createContactTags } from './tags.ts';
import { followMerge, unlessRefused } from './workspace.ts';

/** Makes the methods of contacts whose custom attributes follow these rules. */
export const createContacts = <Attributes extends object>(
  workspace: ContactsWorkspace<Attributes>,
  rules: AttributeRules,
): Contacts<Attributes> => {
  const { dialect, endpoints, methods, shareDeadline } = workspace;
  const { contacts } = methods;
  const recent = createRecentRecords<Contact<Attributes>>({ forMs: dialect.searchDelayMs });
  const { findExisting, ...finds } = createFindContacts({ workspace, recent });
  const { createNew, createOrTake, mayHaveMade } = createCreation({
    workspace,
    rules,
    recent,
    find: finds.find,
    findExisting,
  });

  /** An action after which no search gives the contact any more. */
  const removing = async (contactId: string, done: Promise<void>): Promise<void> => {
    await done;
    recent.forget(contactId);
  };

  return {
    get: (contactId, call) => followMerge(workspace, contactId, call, contacts.get),
    declaresAttribute: rules.declares,
    create: async (fields, call) => {
      if (!dialect.conflictGivesContact) return createNew(fields, call);
      const { idempotencyKey, ...shared } = shareDeadline(call);
      return (await createOrTake(fields, shared, idempotencyKey)).contact;
    },
    findOrCreate: async (fields, call) => {
      const operation = 'messaging.contacts.findOrCreate';
      const written = writableFields(rules, operation, fields);
      const { phone, email } = checkArgument(operation, contactFields, written);
      const { idempotencyKey, ...shared } = shareDeadline(call);
      const person = { phone: phone ?? undefined, email: email ?? undefined };
      const found = person.phone || person.email ? await finds.find(person, shared) : undefined;
      if (found) return { ...found, created: false };
      if (mayHaveMade(person))
        throw new UnexpectedResponseError('this contact may have been made a moment ago: a search shows it later', {
          operation: 'messaging.contacts.create',
        });
      return createOrTake(fields, shared, idempotencyKey);
    },
    update: async (contactId, fields, call) => {
      const written = writableFields(rules, 'messaging.contacts.update', fields);
      const updated = await followMerge(workspace, contactId, call, (id, call) => contacts.update(id, written, call));
      recent.refresh(withSearchedFields(updated, written));
      return updated;
    },
    ...createSearch(workspace, 'contacts', endpoints.contacts.search, contacts.search),
    ...finds,
    merge: async (two, call) => {
      const merged = await contacts.merge(two, call);
      recent.forget(two.fromId);
      return merged;
    },
    archive: (contactId, call) => removing(contactId, contacts.archive(contactId, call)),
    unarchive: contacts.unarchive,
    block: (contactId, call) => removing(contactId, contacts.block(contactId, call)),
    delete: (contactId, call) => removing(contactId, contacts.delete(contactId, call)),
    notes: createContactNotes(workspace),
    subscriptions: createContactSubscriptions(workspace),
    tags: createContactTags(workspace),
  };
};

interface Creation<Attributes extends object>
  extends Pick<ReturnType<typeof createFindContacts<Attributes>>, 'find' | 'findExisting'> {
  readonly workspace: ContactsWorkspace<Attributes>;
  readonly rules: AttributeRules;
  readonly recent: RecentRecords<Contact<Attributes>>;
}

/** Creates a contact, or finds the one that is in the way of it. */
const createCreation = <Attributes extends object>({
  workspace,
  rules,
  recent,
  find,
  findExisting,
}: Creation<Attributes>) => {
  const { http, dialect, endpoints, methods } = workspace;
  const { contacts } = methods;
  const unclear = createUnclearWrites<ContactFields>({ forMs: dialect.searchDelayMs });

  const createNew: Contacts<Attributes>['create'] = async (fields, call = {}) => {
    const operation = 'messaging.contacts.create';
    const written = writableFields(rules, operation, fields);
    const { callId, lane } = call;
    const request = {
      withoutKeys: { lookUp: (time: RequestOptions) => findExisting(written, { callId, lane, ...time }) },
      ...toOperation(operation, endpoints.contacts.create, [written]),
    };
    const created = await unclear.run(written, () => http.request(request, call));
    recent.remember(withSearchedFields(created, written));
    return created;
  };

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
    if (named === undefined) return asConflict(await findExisting({ external_id }, call));
    // One that is archived is in the way, but nothing can be done with it.
    return asConflict(await unlessRefused(followMerge(workspace, named, call, contacts.get), [410]));
  };

  /** The contact of an address that no search knows yet, where the platform can give it. */
  const takeByEmail = async (email: string, call: RequestOptions): Promise<Contact<Attributes> | undefined> => {
    if (!dialect.contactOfEmail) return undefined;
    const taking = { ...endpoints.contacts.create, ...dialect.contactOfEmail };
    const operation = toOperation('messaging.contacts.create', taking, [{ email }]);
    const contact = await unlessRefused(http.request(operation, call));
    if (contact) recent.remember(withSearchedFields(contact, { email }));
    return contact;
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

  /** No search can tell by now whether the contact of this number was made. The platform refuses an address that it has. */
  const mayHaveMade = ({ phone, email }: PersonQuery): boolean =>
    unclear.ended().some((one) => {
      const isRefused = email && one.email && isSameEmail(one.email, email);
      return !isRefused && !!phone && !!one.phone && isSamePhone(one.phone, phone);
    });

  return { createNew, createOrTake, mayHaveMade };
};

const asConflict = <Attributes extends object>(
  contact: Contact<Attributes> | undefined,
): EnsuredContact<Attributes> | undefined =>
  contact && { contact, created: false, matchedBy: 'conflict', ambiguous: false, count: 1 };

/** Adds the fields that searches compare: some platforms answer with little more than the id. */
const withSearchedFields = <Attributes extends object>(
  contact: Contact<Attributes>,
  { phone, email }: ContactFields,
): Contact<Attributes> => ({
  ...contact,
  phone: contact.phone ?? phone,
  email: contact.email ?? email,
});
