import type { Endpoint } from '../endpoint.ts';
import { invalidParameter as invalid, Refused } from '../refused.ts';
import type { MessagingStore } from '../store/messaging.ts';
import type { FakeContactNote, FakeSubscriptionType } from '../store/people.ts';
import { companyFields } from './contact-fields.ts';
import { adminOf, companyOf, contactOf, found, ok } from './messaging-lookups.ts';
import { adminRecord, companyRecord, contactRecord } from './messaging-records.ts';
import type { FakeContact } from '../store/messaging-records.ts';

type Row = Endpoint<MessagingStore>;

/** Intercom's endpoints of people, companies, tags and events that the default API doesn't name. */
export const intercomPeopleEndpoints: readonly Row[] = [
  {
    operation: 'messaging.contacts.merge',
    method: 'POST',
    path: '/contacts/merge',
    effect: 'write',
    body: { required: { from: 'text', into: 'text' }, optional: { skip_duplicate_validation: 'boolean' } },
    answer: ({ store, body }) => {
      const [from, into] = [contactOf(store, body['from']), contactOf(store, body['into'])];
      if (from.role !== 'lead') throw invalid('from', 'must be the id of a lead');
      if (into.role !== 'user') throw invalid('into', 'must be the id of a user');
      store.mergeContact(from, into);
      return ok(contactRecord(store, into));
    },
  },
  {
    operation: 'messaging.contacts.archive',
    method: 'POST',
    path: '/contacts/{id}/archive',
    effect: 'write',
    answer: ({ store, params }) => {
      const contact = contactOf(store, params['id']);
      store.archiveContact(contact);
      return ok({ ...referenceTo(contact), archived: true });
    },
  },
  {
    operation: 'messaging.contacts.unarchive',
    method: 'POST',
    path: '/contacts/{contact_id}/unarchive',
    effect: 'write',
    answer: ({ store, params }) => {
      const gone = store.gone.get(params['contact_id'] ?? '');
      const contact = gone && gone.into === undefined ? gone.contact : contactOf(store, params['contact_id']);
      store.unarchiveContact(contact);
      return ok({ ...referenceTo(contact), archived: false });
    },
  },
  {
    operation: 'messaging.contacts.block',
    method: 'POST',
    path: '/contacts/{id}/block',
    effect: 'write',
    answer: ({ store, params }) => {
      const contact = contactOf(store, params['id']);
      store.archiveContact(contact);
      return ok({ ...referenceTo(contact), blocked: true });
    },
  },
  {
    operation: 'messaging.contacts.delete',
    method: 'DELETE',
    path: '/contacts/{id}',
    effect: 'write',
    answer: ({ store, params }) => {
      const contact = contactOf(store, params['id']);
      store.contacts.delete(contact.id);
      return ok({ ...referenceTo(contact), deleted: true });
    },
  },
  {
    operation: 'messaging.contacts.notes.list',
    method: 'GET',
    path: '/contacts/{id}/notes',
    effect: 'read',
    answer: ({ store, params }) => {
      const { id } = contactOf(store, params['id']);
      const notes = [...store.contactNotes.values()].filter(({ contact_id }) => contact_id === id).toReversed();
      return ok({ type: 'list', data: notes.map((note) => noteRecord(store, note)), total_count: notes.length });
    },
  },
  {
    operation: 'messaging.contacts.notes.create',
    method: 'POST',
    path: '/contacts/{id}/notes',
    effect: 'write',
    body: { required: { body: 'text' }, optional: { admin_id: 'text' } },
    answer: ({ store, params, body }) => {
      const { id } = contactOf(store, params['id']);
      const admin = body['admin_id'] ? adminOf(store, body['admin_id']).id : null;
      const note = store.addContactNote({ contact_id: id, admin_id: admin, body: String(body['body']) });
      return ok(noteRecord(store, note));
    },
  },
  {
    operation: 'messaging.contacts.subscriptions.list',
    method: 'GET',
    path: '/contacts/{id}/subscriptions',
    effect: 'read',
    answer: ({ store, params }) => {
      const ids = [...store.subscriptionsOf(contactOf(store, params['id']).id)];
      const data = ids.map((id) => subscriptionRecord(found(store.subscriptionTypes, id, 'subscription_type')));
      return ok({ type: 'list', data });
    },
  },
  {
    operation: 'messaging.contacts.subscriptions.attach',
    method: 'POST',
    path: '/contacts/{id}/subscriptions',
    effect: 'write',
    body: { required: { id: 'text', consent_type: 'text' } },
    answer: ({ store, params, body }) => {
      const { id } = contactOf(store, params['id']);
      const type = found(store.subscriptionTypes, body['id'], 'subscription_type');
      if (body['consent_type'] !== type.consent_type) throw invalid('consent_type', `must be "${type.consent_type}"`);
      store.subscriptionsOf(id).add(type.id);
      return ok(subscriptionRecord(type));
    },
  },
  {
    operation: 'messaging.contacts.subscriptions.detach',
    method: 'DELETE',
    path: '/contacts/{id}/subscriptions/{subscription_id}',
    effect: 'write',
    answer: ({ store, params }) => {
      const { id } = contactOf(store, params['id']);
      const type = found(store.subscriptionTypes, params['subscription_id'], 'subscription_type');
      if (!store.subscriptionsOf(id).delete(type.id)) throw notAttached('subscription_type');
      return ok(subscriptionRecord(type));
    },
  },
  {
    operation: 'messaging.subscriptionTypes.list',
    method: 'GET',
    path: '/subscription_types',
    effect: 'read',
    answer: ({ store }) => ok({ type: 'list', data: [...store.subscriptionTypes.values()].map(subscriptionRecord) }),
  },
  {
    operation: 'messaging.companies.create',
    method: 'POST',
    path: '/companies',
    effect: 'write',
    body: {
      optional: {
        ...companyFields.optional,
        company_id: 'text',
        monthly_spend: 'integer',
        remote_created_at: 'integer',
        update_last_request_at: 'boolean',
      },
    },
    answer: ({ store, body }) => {
      const { remote_created_at: _created, update_last_request_at: _request, ...fields } = body;
      const own = fields['company_id'];
      const known = own ? [...store.companies.values()].find(({ company_id }) => company_id === own) : undefined;
      return ok(companyRecord(known ? store.updateCompany(known, fields) : store.addCompany(fields)));
    },
  },
  {
    operation: 'messaging.companies.list',
    operationOf: ({ query }) =>
      query['name'] !== undefined || query['company_id'] !== undefined ? 'messaging.companies.find' : undefined,
    method: 'GET',
    path: '/companies',
    effect: 'read',
    query: { optional: { name: 'text', company_id: 'text', page: 'text', per_page: 'text' } },
    answer: ({ store, query: { name, company_id, page = '1', per_page = '15' } }) => {
      const companies = [...store.companies.values()];
      if (name !== undefined || company_id !== undefined) {
        const company = companies.find((one) => (name ? one.name === name : one.company_id === company_id));
        const data = [companyRecord(company ?? companyOf(store, undefined))];
        const pages = { type: 'pages', page: 1, per_page: 15, total_pages: 1 };
        return ok({ type: 'list', data, total_count: 1, pages });
      }
      const [number, size] = [Number(page), Number(per_page)];
      const data = companies.slice((number - 1) * size, number * size).map(companyRecord);
      const pages = { type: 'pages', page: number, per_page: size, total_pages: Math.ceil(companies.length / size) };
      return ok({ type: 'list', data, total_count: companies.length, pages });
    },
  },
  {
    operation: 'messaging.companies.attach',
    method: 'POST',
    path: '/contacts/{id}/companies',
    effect: 'write',
    body: { required: { id: 'text' } },
    answer: ({ store, params, body }) => {
      const [contact, company] = [contactOf(store, params['id']), companyOf(store, body['id'])];
      if (!contact.company_ids.includes(company.id)) contact.company_ids.push(company.id);
      return ok(companyRecord(company));
    },
  },
  {
    operation: 'messaging.companies.detach',
    method: 'DELETE',
    path: '/contacts/{id}/companies/{company_id}',
    effect: 'write',
    answer: ({ store, params }) => {
      const [contact, company] = [contactOf(store, params['id']), companyOf(store, params['company_id'])];
      if (!contact.company_ids.includes(company.id)) throw notAttached('company');
      contact.company_ids = contact.company_ids.filter((id) => id !== company.id);
      return ok(companyRecord(company));
    },
  },
  {
    operation: 'messaging.tags.create',
    method: 'POST',
    path: '/tags',
    effect: 'write',
    body: { required: { name: 'text' }, optional: { id: 'text' } },
    answer: ({ store, body }) => {
      const name = String(body['name']);
      if (body['id']) return ok({ type: 'tag', ...Object.assign(found(store.tags, body['id'], 'tag'), { name }) });
      const known = [...store.tags.values()].find((tag) => tag.name.toLowerCase() === name.toLowerCase());
      return ok({ type: 'tag', ...(known ?? store.addTag({ name })) });
    },
  },
  {
    operation: 'messaging.admins.setAway',
    method: 'PUT',
    path: '/admins/{id}/away',
    effect: 'write',
    body: {
      required: { away_mode_enabled: 'boolean', away_mode_reassign: 'boolean' },
      optional: { away_status_reason_id: 'integer' },
    },
    answer: ({ store, params, body }) => {
      const admin = adminOf(store, params['id']);
      admin.away_mode_enabled = body['away_mode_enabled'] === true;
      return ok({ ...adminRecord(admin), away_mode_reassign: body['away_mode_reassign'] });
    },
  },
  {
    operation: 'messaging.dataEvents.create',
    method: 'POST',
    path: '/events',
    effect: 'write',
    body: {
      required: { event_name: 'text', created_at: 'integer' },
      optional: { id: 'text', user_id: 'text', email: 'text', metadata: 'object' },
    },
    answer: ({ store, body }) => {
      const { event_name, created_at, id, user_id, email, metadata } = body;
      if (!id && !user_id && !email)
        throw new Refused(400, 'parameter_missing', 'one of id, user_id and email is required');
      const contact = [...store.contacts.values()].find((one) =>
        id ? one.id === id : user_id ? one.external_id === user_id : one.email === email,
      );
      if (!contact) throw new Refused(404, 'not_found', 'User Not Found');
      store.dataEvents.push({
        contact_id: contact.id,
        event_name: String(event_name),
        created_at: Number(created_at),
        metadata: { ...Object(metadata) },
      });
      return { status: 202 };
    },
  },
];

const referenceTo = ({ id, external_id }: FakeContact) => ({ type: 'contact', id, external_id });

const notAttached = (what: string) => new Refused(404, `${what}_not_found`, `This contact has no such ${what}`);

const noteRecord = (store: MessagingStore, { id, contact_id, admin_id, body, created_at }: FakeContactNote) => ({
  type: 'note',
  id,
  created_at,
  contact: { type: 'contact', id: contact_id },
  author: admin_id === null ? null : adminRecord(adminOf(store, admin_id)),
  body,
});

const subscriptionRecord = ({ name, ...type }: FakeSubscriptionType) => {
  const translation = { name, description: name, locale: 'en' };
  return { type: 'subscription', ...type, default_translation: translation, translations: [translation] };
};
