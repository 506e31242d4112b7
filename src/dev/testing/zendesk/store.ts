/** A user of the fake account, in Zendesk's shape. */
export interface FakeZendeskUser {
  readonly id: number;
  name: string;
  email: string | null;
  phone: string | null;
  external_id: string | null;
  role: 'end-user' | 'agent' | 'admin';
  organization_id: number | null;
  tags: string[];
  user_fields: Record<string, unknown>;
  active: boolean;
  readonly created_at: string;
  updated_at: string;
  [field: string]: unknown;
}

/** A comment on a ticket. Customers read the public ones. */
export interface FakeZendeskComment {
  readonly id: number;
  readonly body: string;
  readonly public: boolean;
  readonly author_id: number;
  readonly created_at: string;
}

/** A ticket of the fake account, in Zendesk's shape, with its comments. */
export interface FakeZendeskTicket {
  readonly id: number;
  subject: string | null;
  status: 'new' | 'open' | 'pending' | 'hold' | 'solved' | 'closed';
  requester_id: number;
  submitter_id: number;
  assignee_id: number | null;
  group_id: number | null;
  tags: string[];
  custom_fields: { id: number; value: unknown }[];
  comments: FakeZendeskComment[];
  readonly created_at: string;
  updated_at: string;
  [field: string]: unknown;
}

/** A group or an organization. */
export interface FakeZendeskNamed {
  readonly id: number;
  name: string;
  [field: string]: unknown;
}

/** The records that an account gives fields of its own. */
export type ZendeskFieldOwner = 'users' | 'organizations' | 'tickets';

/** A field of the account's own. A ticket names it by its id, a user and an organization by its key. */
export interface FakeZendeskField {
  readonly id: number;
  readonly of: ZendeskFieldOwner;
  readonly key: string;
}

/** A schedule: minutes since Sunday 00:00, in a time zone by its Rails name. */
export interface FakeZendeskSchedule {
  readonly id: number;
  readonly name: string;
  readonly time_zone: string;
  readonly intervals: readonly { readonly start_time: number; readonly end_time: number }[];
  /** Days as YYYY-MM-DD. */
  readonly holidays: readonly { readonly name: string; readonly start_date: string; readonly end_date: string }[];
}

/** The unified status of an agent. */
export type ZendeskAgentStatus = 'online' | 'offline' | 'away' | 'transfers only';

/** An article of the help center. */
export interface FakeZendeskArticle {
  readonly id: number;
  title: string;
  /** HTML. */
  body: string;
  draft: boolean;
  html_url: string;
  locale: string;
}

/** The records of the account. */
export interface ZendeskStore {
  readonly users: Map<number, FakeZendeskUser>;
  readonly tickets: Map<number, FakeZendeskTicket>;
  readonly groups: Map<number, FakeZendeskNamed>;
  readonly organizations: Map<number, FakeZendeskNamed>;
  readonly articles: Map<number, FakeZendeskArticle>;
  readonly fields: Map<number, FakeZendeskField>;
  /** The addresses of users that aren't their first one, with the user's id. */
  readonly addresses: Map<string, number>;
  /** The id of an address, always the same. */
  readonly identityId: (userId: number, address: string) => number;
  readonly schedules: Map<number, FakeZendeskSchedule>;
  /** The agents of each group. */
  readonly members: Map<number, readonly number[]>;
  readonly statuses: Map<number, ZendeskAgentStatus>;
  readonly nextId: () => number;
  /** Adds the comment as Zendesk would: a comment of an end user is public, whatever was asked for. */
  readonly comment: (ticket: FakeZendeskTicket, comment: NewComment) => FakeZendeskComment;
}

interface NewComment {
  readonly body: string;
  readonly public: boolean;
  readonly author_id: number;
}

/** The agent that the credential belongs to. */
export const ownAgentId = 900_001;

export const nowText = (): string => new Date().toISOString().replace(/\.\d{3}Z$/, 'Z');

export const newUser = (id: number, given: Partial<FakeZendeskUser>): FakeZendeskUser => {
  const at = nowText();
  return {
    name: 'Someone',
    email: null,
    phone: null,
    external_id: null,
    role: 'end-user',
    organization_id: null,
    tags: [],
    user_fields: {},
    active: true,
    created_at: at,
    updated_at: at,
    ...given,
    id,
  };
};

export const newTicket = (
  id: number,
  given: Partial<FakeZendeskTicket> & Pick<FakeZendeskTicket, 'requester_id'>,
): FakeZendeskTicket => {
  const at = nowText();
  return {
    subject: null,
    status: 'new',
    submitter_id: ownAgentId,
    assignee_id: null,
    group_id: null,
    tags: [],
    custom_fields: [],
    created_at: at,
    updated_at: at,
    ...given,
    comments: [],
    id,
  };
};

export const createZendeskStore = (role: 'agent' | 'admin' = 'admin'): ZendeskStore => {
  let last = 360_000;
  const nextId = () => ++last;
  const users = new Map<number, FakeZendeskUser>();
  const identityIds = new Map<string, number>();
  users.set(ownAgentId, newUser(ownAgentId, { name: 'Voice agent', email: 'voice-agent@acme.example', role }));
  return {
    users,
    tickets: new Map(),
    groups: new Map(),
    organizations: new Map(),
    articles: new Map(),
    fields: new Map(),
    addresses: new Map(),
    identityId: (userId, address) => {
      const key = `${userId} ${address.toLowerCase()}`;
      const id = identityIds.get(key) ?? nextId();
      identityIds.set(key, id);
      return id;
    },
    schedules: new Map(),
    members: new Map(),
    statuses: new Map(),
    nextId,
    comment: (ticket, { body, public: isPublic, author_id }) => {
      const isByCustomer = users.get(author_id)?.role === 'end-user';
      const comment = { id: nextId(), body, public: isPublic || isByCustomer, author_id, created_at: nowText() };
      ticket.comments.push(comment);
      ticket.updated_at = comment.created_at;
      return comment;
    },
  };
};
