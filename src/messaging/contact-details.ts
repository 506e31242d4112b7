import type { RequestOptions } from '../http/operation.ts';
import type { RecordList } from '../core/schema.ts';
import type { ByAdmin } from './by-admin.ts';
import type { Note, SubscriptionType } from './records.ts';

/** Notes about a person, for colleagues alone. Paths of the real platform. */
export interface ContactNotes {
  /** The first page. */
  list(contactId: string, call?: RequestOptions): Promise<RecordList<Note>>;
  /** Never reaches the contact. */
  create(contactId: string, note: { readonly body: string } & ByAdmin, call?: RequestOptions): Promise<Note>;
}

/** What a person agreed to or refused. Paths of the real platform. */
export interface ContactSubscriptions {
  list(contactId: string, call?: RequestOptions): Promise<RecordList<SubscriptionType>>;
  /**
   * Writes down what a person said about a kind of message: `opt_out` refuses it, `opt_in` agrees to it.
   *
   * @example
   * await messaging.contacts.subscriptions.attach(contactId, { subscriptionTypeId: '37846', consent: 'opt_out' });
   */
  attach(
    contactId: string,
    subscription: { readonly subscriptionTypeId: string; readonly consent: 'opt_in' | 'opt_out' },
    call?: RequestOptions,
  ): Promise<SubscriptionType>;
  /** Takes back what was said: the kind's own rule holds again. */
  detach(
    contactId: string,
    subscription: { readonly subscriptionTypeId: string },
    call?: RequestOptions,
  ): Promise<void>;
}
