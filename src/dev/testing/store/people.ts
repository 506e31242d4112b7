import type { HelpDeskOptions } from './help-desk.ts';
import type { Seed } from './messaging-records.ts';

/** A note on a contact as the fake platform keeps it. */
export interface FakeContactNote {
  id: string;
  contact_id: string;
  admin_id: string | null;
  body: string;
  /** Seconds since 1970. */
  created_at: number;
}

/** Something that people receive, or don't, as the fake platform keeps it. */
export interface FakeSubscriptionType {
  id: string;
  state: 'live' | 'draft' | 'archived';
  name: string;
  /** The meaning of a contact's entry: agreement, or refusal. */
  consent_type: 'opt_in' | 'opt_out';
  content_types: ('email' | 'sms_message')[];
}

/** Something that a contact did, as the fake platform keeps it. */
export interface FakeDataEvent {
  contact_id: string;
  event_name: string;
  /** Seconds since 1970. */
  created_at: number;
  metadata: Record<string, unknown>;
}

/** The contacts' notes, subscriptions and events. */
export const createPeople = ({ add, stamps }: HelpDeskOptions) => {
  const contactNotes = new Map<string, FakeContactNote>();
  const subscriptionTypes = new Map<string, FakeSubscriptionType>();
  /** The ids of subscription types, by the id of the contact. */
  const subscriptions = new Map<string, Set<string>>();
  const dataEvents: FakeDataEvent[] = [];

  const subscriptionsOf = (contactId: string): Set<string> => {
    const kept = subscriptions.get(contactId) ?? new Set<string>();
    subscriptions.set(contactId, kept);
    return kept;
  };

  return {
    contactNotes,
    subscriptionTypes,
    dataEvents,
    subscriptionsOf,
    addContactNote: (note: Omit<FakeContactNote, 'id' | 'created_at'>): FakeContactNote =>
      add(contactNotes, 'contact_note', note, { ...note, created_at: stamps().created_at }),
    addSubscriptionType: (seed: Seed<FakeSubscriptionType>): FakeSubscriptionType =>
      add(subscriptionTypes, 'subscription_type', seed, {
        state: 'live',
        name: 'Newsletter',
        consent_type: 'opt_out',
        content_types: ['email'],
      }),
  };
};
