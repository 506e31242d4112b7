import type { Fields } from '../fields.ts';
import { invalidParameter as invalid, Refused } from '../refused.ts';
import type { MessagingStore } from '../store/messaging.ts';
import type { FakeContact, Seed } from '../store/messaging-records.ts';
import { isEqual } from './contact-search.ts';

export const contactFields: Fields = {
  optional: {
    phone: 'phone',
    email: 'email',
    name: 'text',
    external_id: 'text',
    role: 'text',
    owner_id: 'text',
    unsubscribed_from_emails: 'boolean',
    custom_attributes: 'attributes',
  },
};

export const companyFields: Fields = {
  optional: {
    name: 'text',
    plan: 'text',
    monthly_spend: 'number',
    size: 'integer',
    website: 'text',
    industry: 'text',
    custom_attributes: 'attributes',
  },
};

/** E-mail and external id belong to one contact; phone numbers may be shared, as on the real platform. */
export const refuseTaken = (
  store: MessagingStore,
  body: Readonly<Record<string, unknown>>,
  self?: FakeContact,
  unique: readonly ('email' | 'external_id')[] = ['email', 'external_id'],
) => {
  if (body['role'] !== undefined && body['role'] !== 'user' && body['role'] !== 'lead') {
    throw invalid('role', 'must be "user" or "lead"');
  }
  for (const field of unique) {
    const value = body[field];
    if (typeof value !== 'string') continue;
    const other = [...store.contacts.values()].find((contact) => contact !== self && isEqual(contact[field], value));
    if (other) {
      throw new Refused(409, 'conflict', `A contact matching those details already exists with id=${other.id}`, {
        field,
      });
    }
  }
};

/** An archived contact keeps its address and external id. */
export const refuseArchived = (store: MessagingStore, body: Readonly<Record<string, unknown>>) => {
  for (const [id, { contact, into }] of store.gone) {
    const isTaken = (['email', 'external_id'] as const).some(
      (field) => typeof body[field] === 'string' && isEqual(contact[field], body[field]),
    );
    if (isTaken && into === undefined)
      throw new Refused(409, 'conflict', `An archived contact matching those details already exists with id=${id}`);
  }
};

/** The body was checked against `contactFields`, whose names and types a contact's are. */
export const toContactSeed = (body: Readonly<Record<string, unknown>>) => structuredClone(body) as Seed<FakeContact>;
