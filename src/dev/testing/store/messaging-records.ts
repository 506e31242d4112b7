/** A value of a custom attribute. */
export type AttributeValue = string | number | boolean | null;

/** One thing that happened in a conversation or to a ticket. */
export interface FakePart {
  id: string;
  /** A `note` is internal; a `comment` reached the customer, and so did the body of a `close`; the others are actions. */
  type: 'note' | 'comment' | 'assignment' | 'close' | 'open' | 'snoozed';
  body: string | null;
  author: { type: 'admin' | 'contact'; id: string };
  /** The team or admin that an `assignment` hands it to. */
  assigned_to: { type: 'team' | 'admin'; id: string } | null;
  created_at: number;
}

/** The fields of a record that may be left out when a test adds it. */
export type Seed<T> = { readonly [K in keyof T]?: T[K] };

/** A contact as the fake platform keeps it. */
export interface FakeContact {
  id: string;
  role: 'user' | 'lead';
  phone: string | null;
  email: string | null;
  name: string | null;
  external_id: string | null;
  owner_id: string | null;
  /** Not there until it's set. */
  unsubscribed_from_emails?: boolean;
  custom_attributes: Record<string, AttributeValue>;
  /** Ids of tags. */
  tag_ids: string[];
  /** Ids of companies. */
  company_ids: string[];
  /** Seconds since 1970. */
  created_at: number;
  /** Seconds since 1970. */
  updated_at: number;
}

/** A contact that is no longer there. */
export interface GoneContact {
  readonly contact: FakeContact;
  /** The contact that it was merged into; `undefined` when it was archived. */
  readonly into: string | undefined;
}

/** A conversation as the fake platform keeps it. */
export interface FakeConversation {
  id: string;
  contact_id: string;
  body: string;
  state: 'open' | 'closed' | 'snoozed';
  /** Seconds since 1970. */
  snoozed_until: number | null;
  title: string | null;
  custom_attributes: Record<string, AttributeValue>;
  admin_assignee_id: string | null;
  team_assignee_id: string | null;
  tag_ids: string[];
  parts: FakePart[];
  created_at: number;
  updated_at: number;
}

/** A company as the fake platform keeps it. */
export interface FakeCompany {
  id: string;
  /** The id that your application gave it. Not there until it's set. */
  company_id?: string;
  name: string;
  /** The account tier. */
  plan: string | null;
  monthly_spend: number | null;
  size: number | null;
  website: string | null;
  industry: string | null;
  custom_attributes: Record<string, AttributeValue>;
  created_at: number;
  updated_at: number;
}

/** A tag as the fake platform keeps it. */
export interface FakeTag {
  id: string;
  name: string;
}

/** An admin as the fake platform keeps it. */
export interface FakeAdmin {
  id: string;
  name: string;
  email: string | null;
  /** Doesn't take conversations now. */
  away_mode_enabled: boolean;
}

/** A team as the fake platform keeps it. */
export interface FakeTeam {
  id: string;
  name: string;
  /** Its members. */
  admin_ids: string[];
}
