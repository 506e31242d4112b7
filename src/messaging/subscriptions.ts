import { entry } from '../api/entry.ts';
import { id } from '../core/arguments.ts';
import { readList } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { readNothing, readRecord, type RecordList } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import { optionalText } from './fields.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** A kind of message that people can agree to or refuse. */
export interface SubscriptionType {
  readonly id: string;
  /** `live`, `draft` or `archived`. */
  readonly state?: string | null | undefined;
  /** `opt_out`: people get it until they refuse. `opt_in`: only after they agree. */
  readonly consent_type?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** Reads the kinds of messages that people can agree to or refuse. Path of the real platform. */
export interface SubscriptionTypes {
  list(call?: RequestOptions): Promise<RecordList<SubscriptionType>>;
}

/** Reads and changes a person's consent. Paths of the real platform. */
export interface ContactSubscriptions {
  list(contactId: string, call?: RequestOptions): Promise<RecordList<SubscriptionType>>;
  /**
   * Records a person's consent to a kind of message: `opt_out` refuses it, `opt_in` agrees to it.
   *
   * @example
   * await messaging.contacts.subscriptions.attach(contactId, { subscriptionTypeId: '37846', consent: 'opt_out' });
   */
  attach(
    contactId: string,
    subscription: { readonly subscriptionTypeId: string; readonly consent: 'opt_in' | 'opt_out' },
    call?: RequestOptions,
  ): Promise<SubscriptionType>;
  /** Removes the person's own choice: the kind's own rule holds again. */
  detach(
    contactId: string,
    subscription: { readonly subscriptionTypeId: string },
    call?: RequestOptions,
  ): Promise<void>;
}

const subscriptionSchema = z.lazily<SubscriptionType>(() =>
  z.object({ id: z.readId(), state: optionalText(), consent_type: optionalText() }),
);
const subscriptionType = readRecord(subscriptionSchema, ['id']);
const subscriptionTypes = readList(subscriptionType, { under: ['subscription_types', 'subscriptions'] });

const consent = z.lazily(() => z.object({ subscriptionTypeId: id(), consent: z.enum(['opt_in', 'opt_out']) }));

/** The operations on kinds of messages, as Intercom has them. */
export const subscriptionTypeEndpoints = {
  list: entry({ method: 'GET', path: 'subscription_types', returns: subscriptionTypes }),
};

/** The operations on a contact's consent, as Intercom has them. */
export const contactSubscriptionEndpoints = {
  list: entry({ method: 'GET', path: 'contacts/{contactId}/subscriptions', returns: subscriptionTypes }),
  attach: entry({
    method: 'POST',
    path: 'contacts/{contactId}/subscriptions',
    takes: consent,
    body: ({ subscriptionTypeId, consent }) => ({ id: subscriptionTypeId, consent_type: consent }),
    withoutKeys: 'again',
    returns: subscriptionType,
  }),
  detach: entry({
    method: 'DELETE',
    path: 'contacts/{contactId}/subscriptions/{subscriptionTypeId}',
    returns: readNothing,
  }),
};

/** Makes the methods of a contact's consent. */
export const createContactSubscriptions = (
  workspace: Workspace<{ readonly contacts: { readonly subscriptions: typeof contactSubscriptionEndpoints } }>,
): ContactSubscriptions => {
  const { subscriptions } = workspace.methods.contacts;
  return {
    list: (contactId, call) => followMerge(workspace, contactId, call, subscriptions.list),
    attach: (contactId, subscription, call) =>
      followMerge(workspace, contactId, call, (id, call) => subscriptions.attach(id, subscription, call)),
    detach: (contactId, subscription, call) =>
      followMerge(workspace, contactId, call, (id, call) =>
        subscriptions.detach(id, subscription?.subscriptionTypeId, call),
      ),
  };
};
