import { oneOf } from '../../../core/option-checks.ts';
import { addAddress } from './identities.ts';
import {
  type FakeZendeskArticle,
  type FakeZendeskField,
  type FakeZendeskNamed,
  type FakeZendeskSchedule,
  type FakeZendeskTicket,
  type FakeZendeskUser,
  newTicket,
  newUser,
  ownAgentId,
  type ZendeskAgentStatus,
  type ZendeskFieldOwner,
  type ZendeskStore,
} from './store.ts';

/**
 * The fake account of Zendesk, for a test to fill and to look at, in Zendesk's shapes. What is read is a copy of that
 * moment. What a test adds is a day old, so searches know it.
 */
export interface FakeZendesk {
  /** The agent that the credential belongs to. */
  readonly ownAgentId: number;
  /** Agents among them. */
  readonly users: readonly FakeZendeskUser[];
  /** With their comments. */
  readonly tickets: readonly FakeZendeskTicket[];
  addUser(user: Partial<FakeZendeskUser>): FakeZendeskUser;
  /** Another address of a user. */
  addAddress(userId: number, email: string): void;
  /** With a first comment, which is public unless you say otherwise. */
  addTicket(
    ticket: Partial<FakeZendeskTicket> & Pick<FakeZendeskTicket, 'requester_id'>,
    comment?: { readonly body: string; readonly public?: boolean | undefined },
  ): FakeZendeskTicket;
  /** With the ids of its agents. */
  addGroup(group: { readonly name: string; readonly memberIds?: readonly number[] | undefined }): FakeZendeskNamed;
  /** Closed unless it has intervals. */
  addSchedule(
    schedule: Pick<FakeZendeskSchedule, 'name' | 'time_zone'> & Partial<FakeZendeskSchedule>,
  ): FakeZendeskSchedule;
  /** Sets the status that an agent has chosen; without it, the account says nothing of them. */
  setAgentStatus(agentId: number, status: ZendeskAgentStatus): void;
  /** A user belongs to it through `organization_id`. */
  addOrganization(organization: { readonly name: string; readonly [field: string]: unknown }): FakeZendeskNamed;
  addArticle(article: Pick<FakeZendeskArticle, 'title' | 'body'> & { readonly draft?: boolean }): FakeZendeskArticle;
  /** A field of the account's own. What you add with a field has made it already. */
  addField(of: ZendeskFieldOwner, key: string): FakeZendeskField;
  /** A person changes the ticket in Zendesk, such as its `status`. */
  changeTicket(id: number, changes: Partial<Omit<FakeZendeskTicket, 'id' | 'comments'>>): void;
}

export const zendeskView = (store: ZendeskStore): FakeZendesk => {
  const keep = <T extends { readonly id: number }>(records: Map<number, T>, record: T): T => {
    records.set(record.id, record);
    return structuredClone(record);
  };
  const addField = (of: ZendeskFieldOwner, key: string, id = store.nextId()): FakeZendeskField =>
    keep(store.fields, { id, of, key });
  const addFields = (of: ZendeskFieldOwner, values: unknown) => {
    for (const key of Object.keys(Object(values))) addField(of, key);
  };
  return {
    ownAgentId,
    get users() {
      return structuredClone([...store.users.values()]);
    },
    get tickets() {
      return structuredClone([...store.tickets.values()]);
    },
    addUser: (user) => {
      addFields('users', user.user_fields);
      return keep(store.users, newUser(store.nextId(), { created_at: aDayAgo(), ...user }));
    },
    addAddress: (userId, email) => {
      const user = store.users.get(userId);
      if (!user) throw new Error(`There is no user ${userId}`);
      addAddress(store, user, email);
    },
    addTicket: (given, { body, public: isPublic = true } = { body: 'Hello' }) => {
      for (const { id } of given.custom_fields ?? []) addField('tickets', String(id), id);
      const ticket = newTicket(store.nextId(), { created_at: aDayAgo(), ...given });
      store.comment(ticket, { body, public: isPublic, author_id: isPublic ? given.requester_id : ownAgentId });
      return keep(store.tickets, ticket);
    },
    addGroup: ({ memberIds = [], ...group }) => {
      const made = keep(store.groups, { id: store.nextId(), ...group });
      store.members.set(made.id, memberIds);
      return made;
    },
    addSchedule: (schedule) =>
      keep(store.schedules, { intervals: [], holidays: [], ...schedule, id: schedule.id ?? store.nextId() }),
    setAgentStatus: (agentId, status) => {
      oneOf(status, 'status', ['online', 'offline', 'away', 'transfers only'])();
      store.statuses.set(agentId, status);
    },
    addOrganization: (organization) => {
      addFields('organizations', organization['organization_fields']);
      return keep(store.organizations, { id: store.nextId(), ...organization });
    },
    addArticle: ({ draft = false, ...article }) => {
      const id = store.nextId();
      const html_url = `https://acme.zendesk.com/hc/en-us/articles/${id}`;
      return keep(store.articles, { id, draft, html_url, locale: 'en-us', ...article });
    },
    addField: (of, key) => {
      oneOf(of, 'of', ['tickets', 'users', 'organizations'])();
      return addField(of, key);
    },
    changeTicket: (id, changes) => {
      const ticket = store.tickets.get(id);
      if (!ticket) throw new Error(`There is no ticket ${id}`);
      Object.assign(ticket, changes);
    },
  };
};

const aDayAgo = (): string => new Date(Date.now() - 86_400_000).toISOString().replace(/\.\d{3}Z$/, 'Z');
