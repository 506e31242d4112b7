import type { ApiConnection } from '../api/api-client.ts';
import type { ConnectionOptions, RequestOptions } from '../http/operation.ts';
import type { RecordList } from '../core/schema.ts';
import type { Setting } from '../core/setting.ts';
import type { Articles } from './articles.ts';
import type { AttributeSchema, AttributesOf, DeclaredAttributes } from './attributes.ts';
import type { ByAdmin } from './by-admin.ts';
import type { ContactNotes, ContactSubscriptions } from './contact-details.ts';
import type { DataEvents } from './data-events.ts';
import type { MessagingDialect } from './dialect.ts';
import type { OfficeHoursOperations } from './office-hours.ts';
import type {
  Admin,
  Company,
  CompanyFields,
  CompanyPage,
  CompanyQuery,
  Contact,
  ContactFields,
  ContactMatch,
  SearchQuery,
  SubscriptionType,
  Conversation,
  ConversationFields,
  CustomAttributes,
  EnsuredContact,
  FoundContact,
  PersonQuery,
  Tag,
  Team,
} from './records.ts';
import type { SearchAllOptions } from './search-pages.ts';
import type { TicketOfConversation } from './ticket-endpoints.ts';
import type { Ticket } from './ticket-records.ts';
import type { Tickets } from './tickets.ts';

/** How to reach a workspace of the messaging platform, and as whom. */
export interface MessagingOptions<
  ContactSchema extends AttributeSchema = DeclaredAttributes,
  CompanySchema extends AttributeSchema = DeclaredAttributes,
> extends ConnectionOptions {
  /** The platform's name as its version header spells it: `Acme` sends `Acme-Version`. */
  readonly platform: string;
  /** The pinned version of the API, such as `2.11`; `in-base-url` sends no header. */
  readonly version: string;
  /**
   * The admin that acts for the voice agent, or a function that reads the id once. Without it, every action on a
   * conversation must name one.
   */
  readonly adminId?: Setting | undefined;
  /** The custom attributes of contacts. With it they are typed, checked, and an undeclared one is refused. */
  readonly customAttributes?: ContactSchema | undefined;
  /** The same for companies. */
  readonly companyAttributes?: CompanySchema | undefined;
  /** What this platform does otherwise than the default API. A preset brings one. @defaultValue nothing */
  readonly dialect?: Partial<MessagingDialect> | undefined;
}

/** Reads and writes what one workspace holds: contacts, conversations, companies, tickets, articles. */
export interface MessagingClient<
  ContactAttributes extends object = CustomAttributes,
  CompanyAttributes extends object = CustomAttributes,
> extends ApiConnection {
  readonly contacts: {
    /**
     * The contact, `undefined` when there is none with this id. Where the platform says that it was merged, the one it
     * became; so do the others here.
     */
    get(id: string, call?: RequestOptions): Promise<Contact<ContactAttributes> | undefined>;
    /**
     * Needs at least one field. A contact that exists already is a `ClientError` with status 409 or, where the dialect
     * says so, that contact as it is: the given fields are not written to it. `findOrCreate` says which it was.
     */
    create(fields: ContactFields<ContactAttributes>, call?: RequestOptions): Promise<Contact<ContactAttributes>>;
    /** Whether the client's `customAttributes` declare this attribute. */
    declaresAttribute(name: string): boolean;
    /** Needs at least one field; what is left out stays as it is. */
    update(
      id: string,
      fields: ContactFields<ContactAttributes>,
      call?: RequestOptions,
    ): Promise<Contact<ContactAttributes>>;
    /**
     * The contact with this phone or e-mail, and else a new one with these fields. The same person gets one contact
     * also when search does not know it yet: a conflict gives the one that exists. What is found is not changed.
     */
    findOrCreate(
      fields: ContactFields<ContactAttributes>,
      call?: RequestOptions,
    ): Promise<EnsuredContact<ContactAttributes>>;
    /** The contacts that fulfil the query, as the platform finds them: the first page. */
    search(query: SearchQuery, call?: RequestOptions): Promise<RecordList<Contact<ContactAttributes>>>;
    /**
     * All of them, page after page as the loop goes on. A `deadline` in milliseconds is that of each page.
     *
     * @example
     * for await (const contact of contacts.searchAll({ field: 'role', operator: '=', value: 'lead' })) …
     */
    searchAll(query: SearchQuery, options?: SearchAllOptions): AsyncIterable<Contact<ContactAttributes>>;
    /**
     * The contact with exactly this number or else this address, `undefined` when there is none. One request where the
     * platform can; a number that several contacts share is decided by the address, if that identifies one of them.
     */
    find(by: PersonQuery, call?: RequestOptions): Promise<FoundContact<ContactAttributes> | undefined>;
    /**
     * The contact with exactly this number, `undefined` when there is none.
     * @param phone E.164
     */
    findByPhone(phone: string, call?: RequestOptions): Promise<ContactMatch<ContactAttributes> | undefined>;
    /** The contact with exactly this address, whatever its case, `undefined` when there is none. */
    findByEmail(email: string, call?: RequestOptions): Promise<ContactMatch<ContactAttributes> | undefined>;
    /**
     * Merges a lead into a user and resolves with what became of the user. **It can't be undone**, and it isn't sent again
     * after an unknown end. Paths of the real platform; so are those of the next ones.
     */
    merge(
      two: { readonly fromId: string; readonly intoId: string },
      call?: RequestOptions,
    ): Promise<Contact<ContactAttributes>>;
    /** Takes a contact out of all searches; `unarchive` brings it back. */
    archive(id: string, call?: RequestOptions): Promise<void>;
    unarchive(id: string, call?: RequestOptions): Promise<void>;
    /** Takes no more messages from a contact, and archives its conversations. */
    block(id: string, call?: RequestOptions): Promise<void>;
    /** Deletes a contact for good. */
    delete(id: string, call?: RequestOptions): Promise<void>;
    readonly notes: ContactNotes;
    readonly subscriptions: ContactSubscriptions;
    readonly tags: {
      /** Path of the real platform; the default API names the capability only. */
      attach(contactId: string, tag: { readonly tagId: string } & ByAdmin, call?: RequestOptions): Promise<Tag>;
      /** Path of the real platform; the default API names the capability only. */
      detach(contactId: string, tag: { readonly tagId: string }, call?: RequestOptions): Promise<void>;
      /** Path of the real platform; the default API names the capability only. */
      list(contactId: string, call?: RequestOptions): Promise<RecordList<Tag>>;
    };
  };
  readonly conversations: {
    /** With its parts and notes, as far as the platform puts them on the record. `undefined` when there is none. */
    get(id: string, call?: RequestOptions): Promise<Conversation | undefined>;
    /** Starts a conversation in the contact's name. `body` is visible in the inbox. */
    create(
      conversation: { readonly contactId: string; readonly body: string },
      call?: RequestOptions,
    ): Promise<Conversation>;
    /** Needs at least one field; what is left out stays as it is. Path of the real platform. */
    update(id: string, fields: ConversationFields, call?: RequestOptions): Promise<Conversation>;
    /**
     * The first page of the conversations that match. Most platforms leave the parts out here: `get` has them. Path of the
     * real platform.
     */
    search(query: SearchQuery, call?: RequestOptions): Promise<RecordList<Conversation>>;
    /** All of them, page after page as the loop goes on. A `deadline` in milliseconds is that of each page. */
    searchAll(query: SearchQuery, options?: SearchAllOptions): AsyncIterable<Conversation>;
    /** A contact's conversations, at most five pages of 100. Their order is the platform's. */
    listForContact(contactId: string, call?: RequestOptions): Promise<RecordList<Conversation>>;
    /** **Sends a message to the customer.** Only this method does, and `close` with a `body`. */
    reply(id: string, reply: { readonly body: string } & ByAdmin, call?: RequestOptions): Promise<Conversation>;
    /** Adds an internal note. It never reaches the customer. */
    addNote(id: string, note: { readonly body: string } & ByAdmin, call?: RequestOptions): Promise<Conversation>;
    /** Hands it to a team. Uses Intercom's request body; the default API doesn't describe one. */
    assignToTeam(id: string, to: { readonly teamId: string } & ByAdmin, call?: RequestOptions): Promise<Conversation>;
    /**
     * Closes it. With a `body`, **the customer gets these words**; without one, nothing. Body of the real platform; the
     * default API names the event only.
     */
    close(
      id: string,
      by?: { readonly body?: string | undefined } & ByAdmin,
      call?: RequestOptions,
    ): Promise<Conversation>;
    /** Hands it to a person: `toAdminId`. Uses Intercom's request body, as do the next three methods. */
    assignToAdmin(
      id: string,
      to: { readonly toAdminId: string } & ByAdmin,
      call?: RequestOptions,
    ): Promise<Conversation>;
    /** Takes it from the admin or team it's assigned to. */
    unassign(id: string, by?: ByAdmin, call?: RequestOptions): Promise<Conversation>;
    /** Opens it again after it was closed or snoozed. */
    reopen(id: string, by?: ByAdmin, call?: RequestOptions): Promise<Conversation>;
    /** Puts it aside until then. @param until UNIX seconds */
    snooze(id: string, until: { readonly until: number } & ByAdmin, call?: RequestOptions): Promise<Conversation>;
    /** Makes a ticket of it. Path of the real platform; the default API doesn't have it. */
    convertToTicket(id: string, ticket: TicketOfConversation, call?: RequestOptions): Promise<Ticket>;
    readonly tags: {
      attach(conversationId: string, tag: { readonly tagId: string } & ByAdmin, call?: RequestOptions): Promise<Tag>;
      /** Path of the real platform; the default API names the capability only. */
      detach(conversationId: string, tag: { readonly tagId: string } & ByAdmin, call?: RequestOptions): Promise<void>;
      /** The tags on the conversation's record. */
      list(conversationId: string, call?: RequestOptions): Promise<RecordList<Tag>>;
    };
  };
  /** Paths of the real platform; the default API names the capability only. */
  readonly companies: {
    get(id: string, call?: RequestOptions): Promise<Company<CompanyAttributes> | undefined>;
    update(
      id: string,
      fields: CompanyFields<CompanyAttributes>,
      call?: RequestOptions,
    ): Promise<Company<CompanyAttributes>>;
    /** With your own `company_id` it's an upsert; without one, two creations make two companies. */
    create(fields: CompanyFields<CompanyAttributes>, call?: RequestOptions): Promise<Company<CompanyAttributes>>;
    /** The company with exactly this name, or with your own id. */
    find(by: CompanyQuery, call?: RequestOptions): Promise<Company<CompanyAttributes> | undefined>;
    /** One page of the companies that have contacts. */
    list(page?: CompanyPage, call?: RequestOptions): Promise<RecordList<Company<CompanyAttributes>>>;
    /** Makes a contact part of a company. */
    attach(
      contactId: string,
      company: { readonly companyId: string },
      call?: RequestOptions,
    ): Promise<Company<CompanyAttributes>>;
    detach(contactId: string, company: { readonly companyId: string }, call?: RequestOptions): Promise<void>;
    /** The companies that a contact belongs to. */
    listForContact(contactId: string, call?: RequestOptions): Promise<RecordList<Company<CompanyAttributes>>>;
  };
  /** Paths of the real platform; the default API names the capability only. */
  readonly admins: {
    /** With `away_mode_enabled`. `undefined` when there's none with this id. */
    get(id: string, call?: RequestOptions): Promise<Admin | undefined>;
    list(call?: RequestOptions): Promise<RecordList<Admin>>;
    /** The admin that the credential belongs to. */
    me(call?: RequestOptions): Promise<Admin>;
    /** Sends an admin away, or back. With `reassign`, what they get while away goes to others. */
    setAway(
      id: string,
      mode: { readonly away: boolean; readonly reassign?: boolean | undefined },
      call?: RequestOptions,
    ): Promise<Admin>;
  };
  /** Paths of the real platform; the default API names the capability only. */
  readonly teams: {
    /** With `admin_ids`. `undefined` when there's none with this id. */
    get(id: string, call?: RequestOptions): Promise<Team | undefined>;
    list(call?: RequestOptions): Promise<RecordList<Team>>;
    /**
     * The admins of a team, with `away_mode_enabled` of each: reads the team and the admins at once.
     * Throws `ClientError` with status 404 when there's no such team, and `UnexpectedResponseError` when the API doesn't
     * say who is in it.
     */
    listMembers(id: string, call?: RequestOptions): Promise<RecordList<Admin>>;
  };
  /** Paths of the real platform; the default API names the capability only. */
  readonly tags: {
    list(call?: RequestOptions): Promise<RecordList<Tag>>;
    /** The tag with this name, whatever its case; `undefined` when there's none. */
    findByName(name: string, call?: RequestOptions): Promise<Tag | undefined>;
    create(tag: { readonly name: string }, call?: RequestOptions): Promise<Tag>;
  };
  /** The kinds of messages that people can agree to or refuse. Path of the real platform. */
  readonly subscriptionTypes: {
    list(call?: RequestOptions): Promise<RecordList<SubscriptionType>>;
  };
  readonly dataEvents: DataEvents;
  readonly articles: Articles;
  readonly tickets: Tickets;
  readonly officeHours: OfficeHoursOperations;
}

/** The client that {@link MessagingOptions} with these schemas give. */
export type MessagingClientFor<
  ContactSchema extends AttributeSchema,
  CompanySchema extends AttributeSchema,
> = MessagingClient<AttributesOf<ContactSchema>, AttributesOf<CompanySchema>>;
