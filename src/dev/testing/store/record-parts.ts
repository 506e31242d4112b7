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
