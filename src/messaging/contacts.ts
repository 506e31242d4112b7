import { type EntryOverrides, entry } from '../api/entry.ts';
import { e164, email, id } from '../core/arguments.ts';
import { readWithin } from '../core/envelope.ts';
import type { ClientError } from '../core/errors.ts';
import * as z from '../core/schema.ts';
import { type Reader, readNothing, readOptional, readRecord } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import { type AttributeRules, type CustomAttributes, readDeclared } from './attributes.ts';
import { type ContactNotes, contactNoteEndpoints, type Note, noteSchema } from './contact-notes.ts';
import {
  hasSomeField,
  optionalId,
  optionalText,
  optionalTime,
  readAttributes,
  withLists,
  writtenAttributes,
} from './fields.ts';
import { searchEntry, type Searches, type SearchQuery } from './search.ts';
import { contactSubscriptionEndpoints, type ContactSubscriptions } from './subscriptions.ts';
import { contactTagEndpoints, type ContactTags, type Tag, tagSchema } from './tags.ts';
import type { PlatformRules, Workspace } from './workspace.ts';

/** A person in the messaging platform. Fields that aren't listed here are kept as they came. */
export interface Contact<Attributes extends object = CustomAttributes> {
  readonly id: string;
  /** E.164. Often empty: then search by e-mail. */
  readonly phone?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly name?: string | null | undefined;
  /** The id of this person in a system of the application. */
  readonly external_id?: string | null | undefined;
  /** The admin who looks after this contact. */
  readonly owner_id?: string | null | undefined;
  /** `lead` or `user`, where the platform distinguishes prospects from customers. */
  readonly role?: string | null | undefined;
  /** Gets no e-mails but replies. */
  readonly unsubscribed_from_emails?: boolean | null | undefined;
  readonly custom_attributes?: Attributes | undefined;
  /** Notes about the person, where the platform puts them on the record. */
  readonly notes?: readonly Note[] | undefined;
  readonly tags?: readonly Tag[] | null | undefined;
  /** Seconds since 1970, or a date as text; as the platform writes it. */
  readonly created_at?: number | string | null | undefined;
  /** Seconds since 1970, or a date as text; as the platform writes it. */
  readonly updated_at?: number | string | null | undefined;
  readonly [field: string]: unknown;
}

/** The fields of a new contact, or changes to one. A field that's left out isn't touched, and `null` empties one. */
export interface ContactFields<Attributes extends object = CustomAttributes> {
  /** E.164. */
  readonly phone?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly name?: string | null | undefined;
  /** The id of this person in a system of the application. */
  readonly external_id?: string | null | undefined;
  /** Platforms that distinguish prospects from customers say it here: `lead` or `user`. */
  readonly role?: string | null | undefined;
  /** `true` when they don't want e-mails. */
  readonly unsubscribed_from_emails?: boolean | undefined;
  readonly owner_id?: string | null | undefined;
  readonly custom_attributes?: Attributes | undefined;
  /** Any other field of the platform, which refuses those that it doesn't have. */
  readonly [field: string]: unknown;
}

/** The phone number or the address of a person, or both. */
export interface PersonQuery {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * The contact that a phone number or an e-mail address belongs to.
 * Several contacts can share one: then it's the most recently updated, and `ambiguous` says that the agent should
 * ask for another detail before it acts.
 */
export interface ContactMatch<Attributes extends object = CustomAttributes> {
  readonly contact: Contact<Attributes>;
  /** More than one contact has exactly this number or address. */
  readonly ambiguous: boolean;
  /** The number of contacts that have it. */
  readonly count: number;
}

/** A person who was looked for by phone and e-mail. */
export interface FoundContact<Attributes extends object = CustomAttributes> extends ContactMatch<Attributes> {
  /** The one of the two that decided. */
  readonly matchedBy: 'phone' | 'email';
}

/** A contact that exists now, whether this call or another made it. */
export interface EnsuredContact<Attributes extends object = CustomAttributes> extends ContactMatch<Attributes> {
  /** `conflict`: the platform refused to make another one. `nothing`: it's new. */
  readonly matchedBy: 'phone' | 'email' | 'conflict' | 'nothing';
  /** Made by this call. */
  readonly created: boolean;
}

/** Finds, reads and writes contacts. */
export interface Contacts<Attributes extends object> extends Searches<Contact<Attributes>> {
  /**
   * The contact, `undefined` when there is none with this id. Where the platform says that it was merged, the one it
   * became; so do the others here.
   */
  get(id: string, call?: RequestOptions): Promise<Contact<Attributes> | undefined>;
  /**
   * Needs at least one field. For a contact that exists already, it throws a `ClientError` with status 409. Some
   * dialects return that contact as it is instead, without writing the fields. `findOrCreate` says which it was.
   */
  create(fields: ContactFields<Attributes>, call?: RequestOptions): Promise<Contact<Attributes>>;
  /** Returns `true` for an attribute that the client's `customAttributes` declare. */
  declaresAttribute(name: string): boolean;
  /** Needs at least one field; what is left out stays as it is. */
  update(id: string, fields: ContactFields<Attributes>, call?: RequestOptions): Promise<Contact<Attributes>>;
  /**
   * The contact with this phone or e-mail, and else a new one with these fields. The same person gets one contact even if
   * search doesn't know it yet: a conflict gives the one that exists. A contact that's found isn't changed.
   */
  findOrCreate(fields: ContactFields<Attributes>, call?: RequestOptions): Promise<EnsuredContact<Attributes>>;
  /**
   * The contact with exactly this number or else this address, `undefined` when there is none. One request where the
   * platform can; a number that several contacts share is decided by the address, if that identifies one of them.
   */
  find(by: PersonQuery, call?: RequestOptions): Promise<FoundContact<Attributes> | undefined>;
  /**
   * The contact with exactly this number, `undefined` when there is none.
   * @param phone E.164
   */
  findByPhone(phone: string, call?: RequestOptions): Promise<ContactMatch<Attributes> | undefined>;
  /** The contact with exactly this address, whatever its case, `undefined` when there is none. */
  findByEmail(email: string, call?: RequestOptions): Promise<ContactMatch<Attributes> | undefined>;
  /**
   * Merges a lead into a user and resolves with that user. **It can't be undone**, and it isn't sent again after an
   * unknown end. Paths of the real platform; so are those of the next ones.
   */
  merge(two: { readonly fromId: string; readonly intoId: string }, call?: RequestOptions): Promise<Contact<Attributes>>;
  /** Takes a contact out of all searches; `unarchive` brings it back. */
  archive(id: string, call?: RequestOptions): Promise<void>;
  unarchive(id: string, call?: RequestOptions): Promise<void>;
  /** Takes no more messages from a contact, and archives its conversations. */
  block(id: string, call?: RequestOptions): Promise<void>;
  /** Deletes a contact for good. */
  delete(id: string, call?: RequestOptions): Promise<void>;
  readonly notes: ContactNotes;
  readonly subscriptions: ContactSubscriptions;
  readonly tags: ContactTags;
}

/** The parts of a dialect that concern contacts. */
export interface ContactRules {
  /**
   * Looks for a person in one search, whatever of them is known. Without it there's one search for the phone, and one for
   * the address.
   */
  readonly findContacts: ((by: PersonQuery) => SearchQuery) | undefined;
  /** A number as contacts may have it: a contact with exactly one of these is the caller. Begins with E.164. */
  readonly phoneFormats: (phone: string) => readonly string[];
  /** Has `contacts.getByExternalId`, which knows of a contact as soon as it's made. A search may not. */
  readonly findsByExternalId: boolean;
  /**
   * Makes `contacts.create` return a contact that exists already, unchanged. Without it the refusal is an error, as the
   * default API has it, and only `findOrCreate` returns the contact.
   */
  readonly conflictGivesContact: boolean;
  /** Recognises a refusal that says that the new contact exists already. @defaultValue any 409 */
  readonly isConflict: (refusal: ClientError) => boolean;
  /**
   * Turns `contacts.create` into a request that returns the contact of an address and changes nothing. It finds a
   * contact that is in the way of a new one, but that no search knows yet. @defaultValue there is none
   */
  readonly contactOfEmail: EntryOverrides<ContactEndpoints>['create'];
  /** The time that a new contact may be missing from searches: for so long, the client remembers those it made. */
  readonly searchDelayMs: number;
}

const contactSchema = z.lazily<Contact>(() =>
  z.object({
    id: z.readId(),
    phone: optionalText(),
    email: optionalText(),
    name: optionalText(),
    external_id: optionalId(),
    role: optionalText(),
    unsubscribed_from_emails: z.nullish(z.boolean()),
    owner_id: optionalId(),
    custom_attributes: readAttributes(),
    notes: z.optional(z.array(noteSchema())),
    tags: z.nullish(z.array(tagSchema())),
    created_at: optionalTime(),
    updated_at: optionalTime(),
  }),
);

/** Reads a contact, whatever attributes it has. */
export const anyContact: Reader<Contact> = readRecord(contactSchema, ['id']);

const lists = [
  ['notes', ['data', 'notes']],
  ['tags', ['data', 'tags']],
] as const;

/** Reads contacts whose custom attributes follow these rules. */
export const contactReader = <Attributes extends object>(rules: AttributeRules): Reader<Contact<Attributes>> => {
  const read = readDeclared<Contact<Attributes>>(anyContact, rules);
  return readWithin('contact', (json, context) => read(withLists(json, lists), context));
};

/** Checks the fields of a contact that is written. */
export const contactFields = z.lazily<ContactFields>(() =>
  z
    .looseObject({
      phone: z.nullish(e164()),
      email: z.nullish(email()),
      name: optionalText(),
      external_id: z.nullish(id()),
      role: optionalText(),
      unsubscribed_from_emails: z.optional(z.boolean()),
      owner_id: z.nullish(id()),
      custom_attributes: writtenAttributes(),
    })
    .check(hasSomeField('fields')),
);

const twoContacts = z.lazily(() => z.object({ fromId: id(), intoId: id() }));

/** The operations on contacts, whatever attributes they have. */
export type ContactEndpoints<Attributes extends object = object> = ReturnType<typeof contactEndpoints<Attributes>>;

/** A client with what its contacts need. */
export type ContactsWorkspace<Attributes extends object> = Workspace<{
  readonly contacts: ContactEndpoints<Attributes>;
}> & {
  readonly dialect: PlatformRules & ContactRules;
  readonly methods: { readonly contacts: Partial<AddressesOfContacts> };
};

/** Reads all addresses of a contact that are theirs alone, where the record shows only one of them. */
export interface AddressesOfContacts {
  readonly addressesOf: (contactId: string, call?: RequestOptions) => Promise<readonly string[]>;
}

/** The operations on contacts. What the default API doesn't name is written as Intercom does. */
export const contactEndpoints = <Attributes extends object>(rules: AttributeRules) => {
  const contact = contactReader<Attributes>(rules);
  return {
    get: entry({ method: 'GET', path: 'contacts/{id}', absentOn404: true, returns: readOptional(contact) }),
    getByExternalId: entry({
      method: 'GET',
      path: 'contacts/find_by_external_id/{externalId}',
      absentOn404: true,
      returns: readOptional(contact),
    }),
    create: entry({ method: 'POST', path: 'contacts', takes: contactFields, returns: contact }),
    update: entry({
      method: 'PUT',
      path: 'contacts/{id}',
      takes: contactFields,
      withoutKeys: 'again',
      returns: contact,
    }),
    search: searchEntry('contacts', contact),
    merge: entry({
      method: 'POST',
      path: 'contacts/merge',
      takes: twoContacts,
      body: ({ fromId, intoId }) => ({ from: fromId, into: intoId }),
      returns: contact,
    }),
    archive: entry({ method: 'POST', path: 'contacts/{id}/archive', returns: readNothing }),
    unarchive: entry({ method: 'POST', path: 'contacts/{id}/unarchive', returns: readNothing }),
    block: entry({ method: 'POST', path: 'contacts/{id}/block', returns: readNothing }),
    delete: entry({ method: 'DELETE', path: 'contacts/{id}', returns: readNothing }),
    notes: contactNoteEndpoints,
    subscriptions: contactSubscriptionEndpoints,
    tags: contactTagEndpoints,
  };
};
