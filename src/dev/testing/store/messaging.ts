import { createHelpDesk } from './help-desk.ts';
import { createIds } from './ids.ts';
import { createPeople } from './people.ts';
import type {
  AttributeValue,
  FakeAdmin,
  FakeCompany,
  FakeContact,
  FakeConversation,
  FakePart,
  FakeTag,
  FakeTeam,
  GoneContact,
  Seed,
} from './messaging-records.ts';

/** The events that the platform reports to its receivers. */
export type MessagingTopic =
  | 'conversation.created'
  | 'conversation.replied'
  | 'conversation.closed'
  | 'contact.created'
  | 'contact.updated'
  | 'custom_attribute.changed';

/** Called with what happens. Not called for records that a test puts there itself. */
export type OnMessagingEvent = (topic: MessagingTopic, item: Readonly<Record<string, unknown>>) => void;

/** The admin who is always there, and to whom the credential belongs. */
export const ownAdminId = 'admin_1';

/** Everything that the fake workspace holds, and what can be done to it. Actions suppose that the ids exist. */
export const createMessagingStore = ({ onEvent }: { onEvent: OnMessagingEvent }) => {
  const contacts = new Map<string, FakeContact>();
  const gone = new Map<string, GoneContact>();
  const conversations = new Map<string, FakeConversation>();
  const companies = new Map<string, FakeCompany>();
  const tags = new Map<string, FakeTag>();
  const admins = new Map<string, FakeAdmin>([
    [ownAdminId, { id: ownAdminId, name: 'Voice Agent', email: null, away_mode_enabled: false }],
  ]);
  const teams = new Map<string, FakeTeam>();
  const nextId = createIds();
  const nowSeconds = () => Math.floor(Date.now() / 1000);

  const add = <T extends { id: string }>(
    map: Map<string, T>,
    word: string,
    seed: Seed<T>,
    defaults: Omit<T, 'id'>,
  ): T => {
    const id = seed.id ?? nextId(word, (candidate) => map.has(candidate));
    // The defaults have every field but the id, and the id is the line above.
    const record = { ...defaults, ...structuredClone(seed), id } as unknown as T;
    map.set(id, record);
    return record;
  };
  const stamps = () => ({ created_at: nowSeconds(), updated_at: nowSeconds() });

  const addContact = (seed: Seed<FakeContact>): FakeContact => {
    if (seed.id !== undefined) gone.delete(seed.id);
    return add(contacts, 'contact', seed, {
      role: seed.email || seed.external_id ? 'user' : 'lead',
      phone: null,
      email: null,
      name: null,
      external_id: null,
      owner_id: null,
      custom_attributes: {},
      tag_ids: [],
      company_ids: [],
      ...stamps(),
    });
  };

  const addConversation = (seed: Seed<FakeConversation> & { readonly contact_id: string }): FakeConversation =>
    add(conversations, 'conversation', seed, {
      contact_id: seed.contact_id,
      body: '',
      state: 'open',
      snoozed_until: null,
      title: null,
      custom_attributes: {},
      admin_assignee_id: null,
      team_assignee_id: null,
      tag_ids: [],
      parts: [],
      ...stamps(),
    });

  const addPart = (conversation: FakeConversation, part: Pick<FakePart, 'type' | 'author'> & Partial<FakePart>) => {
    const taken = (id: string) =>
      [...conversations.values()].some(({ parts }) => parts.some((other) => other.id === id));
    const whole: FakePart = {
      id: nextId('part', taken),
      body: null,
      assigned_to: null,
      created_at: nowSeconds(),
      ...part,
    };
    conversation.parts.push(whole);
    conversation.updated_at = nowSeconds();
    return whole;
  };

  /** Reports each attribute whose value has changed. */
  const changeAttributes = (
    record: FakeContact | FakeCompany,
    type: 'contact' | 'company',
    changes: Readonly<Record<string, AttributeValue>> = {},
  ) => {
    for (const [name, value] of Object.entries(changes)) {
      const before = record.custom_attributes[name] ?? null;
      if (before === value) continue;
      record.custom_attributes[name] = value;
      onEvent('custom_attribute.changed', { type, id: record.id, attribute: name, before, value });
    }
  };

  const remove = (contact: FakeContact, into: string | undefined) => {
    contacts.delete(contact.id);
    gone.set(contact.id, { contact, into });
  };

  const helpDesk = createHelpDesk({ add, stamps });
  return {
    ...helpDesk,
    ...createPeople({ add, stamps }),
    contacts,
    /** The contacts that were archived or merged. */
    gone,
    conversations,
    companies,
    tags,
    admins,
    teams,
    addContact,
    addConversation,
    addCompany: (seed: Seed<FakeCompany>): FakeCompany =>
      add(companies, 'company', seed, {
        name: 'Company',
        plan: null,
        monthly_spend: null,
        size: null,
        website: null,
        industry: null,
        custom_attributes: {},
        ...stamps(),
      }),
    addTag: (seed: Seed<FakeTag>): FakeTag => add(tags, 'tag', seed, { name: 'Tag' }),
    addAdmin: (seed: Seed<FakeAdmin>): FakeAdmin =>
      add(admins, 'admin', seed, { name: 'Admin', email: null, away_mode_enabled: false }),
    addTeam: (seed: Seed<FakeTeam>): FakeTeam => add(teams, 'team', seed, { name: 'Team', admin_ids: [] }),

    createContact: (fields: Seed<FakeContact>): FakeContact => {
      const contact = addContact(fields);
      onEvent('contact.created', { ...contact, type: 'contact' });
      return contact;
    },
    updateContact: (contact: FakeContact, { custom_attributes, ...fields }: Seed<FakeContact>): FakeContact => {
      Object.assign(contact, fields, { updated_at: nowSeconds() });
      changeAttributes(contact, 'contact', custom_attributes);
      onEvent('contact.updated', { ...contact, type: 'contact' });
      return contact;
    },
    archiveContact: (contact: FakeContact): void => remove(contact, undefined),
    unarchiveContact: (contact: FakeContact): void => {
      gone.delete(contact.id);
      contacts.set(contact.id, contact);
    },
    /** Its conversations become those of the other. Source: community.intercom.com, topic 6653, read 2026-11-27. */
    mergeContact: (contact: FakeContact, into: FakeContact): void => {
      for (const record of [...conversations.values(), ...helpDesk.tickets.values()])
        if (record.contact_id === contact.id) record.contact_id = into.id;
      remove(contact, into.id);
    },
    updateCompany: (company: FakeCompany, { custom_attributes, ...fields }: Seed<FakeCompany>): FakeCompany => {
      Object.assign(company, fields, { updated_at: nowSeconds() });
      changeAttributes(company, 'company', custom_attributes);
      return company;
    },
    createConversation: (contactId: string, body: string): FakeConversation => {
      const conversation = addConversation({ contact_id: contactId, body });
      onEvent('conversation.created', { ...conversation, type: 'conversation' });
      return conversation;
    },
    reply: (conversation: FakeConversation, author: FakePart['author'], body: string): FakeConversation => {
      addPart(conversation, { type: 'comment', author, body });
      onEvent('conversation.replied', { ...conversation, type: 'conversation' });
      return conversation;
    },
    addNote: (conversation: FakeConversation, adminId: string, body: string): FakeConversation => {
      addPart(conversation, { type: 'note', author: { type: 'admin', id: adminId }, body });
      return conversation;
    },
    /** `null`: to no one. */
    assign: (
      conversation: FakeConversation,
      adminId: string,
      assignedTo: { type: 'team' | 'admin'; id: string } | null,
    ): FakeConversation => {
      addPart(conversation, { type: 'assignment', author: { type: 'admin', id: adminId }, assigned_to: assignedTo });
      if (assignedTo?.type !== 'admin') conversation.team_assignee_id = assignedTo?.id ?? null;
      if (assignedTo?.type !== 'team') conversation.admin_assignee_id = assignedTo?.id ?? null;
      return conversation;
    },
    /** `until`: snoozes it; without, it's open again. */
    wake: (conversation: FakeConversation, adminId: string, until: number | null): FakeConversation => {
      addPart(conversation, { type: until === null ? 'open' : 'snoozed', author: { type: 'admin', id: adminId } });
      conversation.state = until === null ? 'open' : 'snoozed';
      conversation.snoozed_until = until;
      return conversation;
    },
    updateConversation: (
      conversation: FakeConversation,
      { custom_attributes, ...fields }: Seed<FakeConversation>,
    ): FakeConversation => {
      Object.assign(conversation, fields, { updated_at: nowSeconds() });
      Object.assign(conversation.custom_attributes, custom_attributes);
      return conversation;
    },
    close: (conversation: FakeConversation, adminId: string, body: string | null = null): FakeConversation => {
      addPart(conversation, { type: 'close', author: { type: 'admin', id: adminId }, body });
      conversation.state = 'closed';
      onEvent('conversation.closed', { ...conversation, type: 'conversation' });
      return conversation;
    },
  };
};

export type MessagingStore = ReturnType<typeof createMessagingStore>;
