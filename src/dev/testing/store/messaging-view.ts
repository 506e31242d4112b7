import type { FakeArticle, FakeOfficeHours, FakeTicket, FakeTicketType } from './help-desk.ts';
import type { FakeContactNote, FakeDataEvent, FakeSubscriptionType } from './people.ts';
import type {
  FakeAdmin,
  FakeCompany,
  FakeContact,
  FakeConversation,
  FakeTag,
  FakeTeam,
  Seed,
} from './messaging-records.ts';
import { type MessagingStore, ownAdminId } from './messaging.ts';

/**
 * The fake workspace, for a test to fill and to look at. What is read is a copy of that moment.
 * What a test adds fires no event; what it does as a person of the workspace does.
 */
export interface FakeMessaging {
  readonly contacts: readonly FakeContact[];
  /** With their parts, the notes among them. */
  readonly conversations: readonly FakeConversation[];
  readonly companies: readonly FakeCompany[];
  readonly tags: readonly FakeTag[];
  readonly admins: readonly FakeAdmin[];
  readonly teams: readonly FakeTeam[];
  /** With their parts, the notes among them. */
  readonly tickets: readonly FakeTicket[];
  /** The notes on contacts. */
  readonly contactNotes: readonly FakeContactNote[];
  readonly dataEvents: readonly FakeDataEvent[];

  /** Several contacts may share a phone number or an e-mail address here. */
  addContact(contact: Seed<FakeContact>): FakeContact;
  addConversation(conversation: Seed<FakeConversation> & { readonly contact_id: string }): FakeConversation;
  /** A contact belongs to it through its `company_ids`. */
  addCompany(company: Seed<FakeCompany>): FakeCompany;
  addTag(tag: Seed<FakeTag>): FakeTag;
  /** In addition to `admin_1`, which is always there and to whom the credential belongs. */
  addAdmin(admin: Seed<FakeAdmin>): FakeAdmin;
  addTeam(team: Seed<FakeTeam>): FakeTeam;
  /** An article of the help center; its `body` is HTML. */
  addArticle(article: Seed<FakeArticle>): FakeArticle;
  /** Something that a contact can agree to or refuse, such as a newsletter. */
  addSubscriptionType(type: Seed<FakeSubscriptionType>): FakeSubscriptionType;
  addTicketType(type: Seed<FakeTicketType>): FakeTicketType;
  addTicket(ticket: Seed<FakeTicket> & { readonly contact_id: string; readonly ticket_type_id: string }): FakeTicket;
  /** Adds hours in which people answer, with the exceptions. */
  addOfficeHours(hours: Seed<FakeOfficeHours>): FakeOfficeHours;

  /** A colleague archives the contact: it is no longer found, but its address stays taken where the API says so. */
  archiveContact(contactId: string): void;
  /** A colleague merges the contact into another one, whose record stays as it is. */
  mergeContact(contactId: string, intoId: string): void;
  /** The contact writes into the conversation; fires `conversation.replied`. */
  replyAsContact(conversationId: string, body: string): void;
  /** A colleague closes the conversation; fires `conversation.closed`. */
  closeConversation(conversationId: string): void;

  /** From now on no other credential is accepted, as after a rotation. */
  acceptOnly(...credentials: readonly string[]): void;
}

export const messagingView = (store: MessagingStore, acceptOnly: FakeMessaging['acceptOnly']): FakeMessaging => {
  const conversationOf = (id: string): FakeConversation => {
    const conversation = store.conversations.get(id);
    if (!conversation) throw new Error(`There is no conversation ${id}`);
    return conversation;
  };
  const contactOf = (id: string): FakeContact => {
    const contact = store.contacts.get(id);
    if (!contact) throw new Error(`There is no contact ${id}`);
    return contact;
  };
  return {
    get contacts() {
      return structuredClone([...store.contacts.values()]);
    },
    get conversations() {
      return structuredClone([...store.conversations.values()]);
    },
    get companies() {
      return structuredClone([...store.companies.values()]);
    },
    get tags() {
      return structuredClone([...store.tags.values()]);
    },
    get admins() {
      return structuredClone([...store.admins.values()]);
    },
    get teams() {
      return structuredClone([...store.teams.values()]);
    },
    get tickets() {
      return structuredClone([...store.tickets.values()]);
    },
    get contactNotes() {
      return structuredClone([...store.contactNotes.values()]);
    },
    get dataEvents() {
      return structuredClone(store.dataEvents);
    },
    addContact: (contact) => structuredClone(store.addContact(contact)),
    addConversation: (conversation) => structuredClone(store.addConversation(conversation)),
    addCompany: (company) => structuredClone(store.addCompany(company)),
    addTag: (tag) => structuredClone(store.addTag(tag)),
    addAdmin: (admin) => structuredClone(store.addAdmin(admin)),
    addTeam: (team) => structuredClone(store.addTeam(team)),
    addArticle: (article) => structuredClone(store.addArticle(article)),
    addSubscriptionType: (type) => structuredClone(store.addSubscriptionType(type)),
    addTicketType: (type) => structuredClone(store.addTicketType(type)),
    addTicket: (ticket) => structuredClone(store.addTicket(ticket)),
    addOfficeHours: (hours) => structuredClone(store.addOfficeHours(hours)),
    archiveContact: (contactId) => store.archiveContact(contactOf(contactId)),
    mergeContact: (contactId, intoId) => store.mergeContact(contactOf(contactId), contactOf(intoId)),
    replyAsContact: (conversationId, body) => {
      const conversation = conversationOf(conversationId);
      store.reply(conversation, { type: 'contact', id: conversation.contact_id }, body);
    },
    closeConversation: (conversationId) => {
      store.close(conversationOf(conversationId), ownAdminId);
    },
    acceptOnly,
  };
};
