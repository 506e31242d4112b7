import type { Contract, Endpoint, EndpointAnswer } from '../endpoint.ts';
import type { Fields } from '../fields.ts';
import { Refused } from '../refused.ts';
import {
  type FakeCompany,
  type FakeContact,
  type FakeConversation,
  type MessagingStore,
  ownAdminId,
  type Seed,
} from '../store/messaging.ts';
import { isEqual, toMatcher } from './contact-search.ts';
import { type Envelope, listAnswer } from './envelope.ts';
import { invalidParameter as invalid } from './invalid-parameter.ts';
import { companyRecord, contactRecord, conversationRecord, tagRecords } from './messaging-records.ts';

/** The endpoints of the messaging platform, and how it refuses. */
export const messagingContract = ({ envelope }: { envelope: Envelope }): Contract<MessagingStore> => {
  const list = (records: readonly unknown[]): EndpointAnswer => listAnswer(envelope, records, 'total_count');
  const endpoints: Endpoint<MessagingStore>[] = [
    {
      operation: 'messaging.contacts.get',
      method: 'GET',
      path: '/contacts/{id}',
      effect: 'read',
      answer: ({ store, params }) => ok(contactRecord(store, contactOf(store, params['id']))),
    },
    {
      operation: 'messaging.contacts.create',
      method: 'POST',
      path: '/contacts',
      effect: 'write',
      body: contactFields,
      answer: ({ store, body }) => {
        if (!['phone', 'email', 'external_id'].some((field) => body[field])) {
          throw new Refused(400, 'parameter_missing', 'one of phone, email and external_id is required');
        }
        refuseTaken(store, body);
        return ok(contactRecord(store, store.createContact(toContactSeed(body))));
      },
    },
    {
      operation: 'messaging.contacts.update',
      method: 'PUT',
      path: '/contacts/{id}',
      effect: 'write',
      body: contactFields,
      answer: ({ store, params, body }) => {
        const contact = contactOf(store, params['id']);
        refuseTaken(store, body, contact);
        return ok(contactRecord(store, store.updateContact(contact, toContactSeed(body))));
      },
    },
    {
      operation: 'messaging.contacts.search',
      method: 'POST',
      path: '/contacts/search',
      effect: 'read',
      body: { required: { query: 'object' } },
      answer: ({ store, body }) => {
        const matches = toMatcher(body['query']);
        return list([...store.contacts.values()].filter(matches).map((contact) => contactRecord(store, contact)));
      },
    },
    {
      operation: 'messaging.contacts.tags.list',
      method: 'GET',
      path: '/contacts/{id}/tags',
      effect: 'read',
      answer: ({ store, params }) => list(tagRecords(store, contactOf(store, params['id']))),
    },
    {
      operation: 'messaging.contacts.tags.attach',
      method: 'POST',
      path: '/contacts/{id}/tags',
      effect: 'write',
      body: { required: { id: 'text' } },
      answer: ({ store, params, body }) => attachTag(store, contactOf(store, params['id']), body['id']),
    },
    {
      operation: 'messaging.contacts.tags.detach',
      method: 'DELETE',
      path: '/contacts/{id}/tags/{tag_id}',
      effect: 'write',
      answer: ({ store, params }) => detachTag(store, contactOf(store, params['id']), params['tag_id']),
    },
    {
      operation: 'messaging.companies.listForContact',
      method: 'GET',
      path: '/contacts/{id}/companies',
      effect: 'read',
      answer: ({ store, params }) =>
        list(contactOf(store, params['id']).company_ids.map((id) => companyRecord(companyOf(store, id)))),
    },
    {
      operation: 'messaging.companies.get',
      method: 'GET',
      path: '/companies/{id}',
      effect: 'read',
      answer: ({ store, params }) => ok(companyRecord(companyOf(store, params['id']))),
    },
    {
      operation: 'messaging.companies.update',
      method: 'PUT',
      path: '/companies/{id}',
      effect: 'write',
      body: companyFields,
      answer: ({ store, params, body }) => ok(companyRecord(store.updateCompany(companyOf(store, params['id']), body))),
    },
    {
      operation: 'messaging.conversations.get',
      method: 'GET',
      path: '/conversations/{id}',
      effect: 'read',
      answer: ({ store, params }) => ok(conversationRecord(store, conversationOf(store, params['id']))),
    },
    {
      operation: 'messaging.conversations.create',
      method: 'POST',
      path: '/conversations',
      effect: 'write',
      body: { required: { from: 'object', body: 'text' } },
      answer: ({ store, body }) => {
        // Checked to be an object.
        const from = body['from'] as Readonly<Record<string, unknown>>;
        if (from['type'] !== 'contact') throw invalid('from.type', 'must be "contact"');
        if (typeof from['id'] !== 'string') throw invalid('from.id', 'must be a string');
        const contact = contactOf(store, from['id']);
        return ok(conversationRecord(store, store.createConversation(contact.id, String(body['body']))));
      },
    },
    {
      operation: 'messaging.conversations.reply',
      method: 'POST',
      path: '/conversations/{id}/reply',
      effect: 'write',
      when: { message_type: 'comment' },
      body: { required: { message_type: 'text', type: 'text', admin_id: 'text', body: 'text' } },
      answer: ({ store, params, body }) => {
        if (body['type'] !== 'admin') throw invalid('type', 'must be "admin"');
        const conversation = conversationOf(store, params['id']);
        const author = { type: 'admin', id: adminOf(store, body['admin_id']).id } as const;
        return ok(conversationRecord(store, store.reply(conversation, author, String(body['body']))));
      },
    },
    {
      operation: 'messaging.conversations.addNote',
      method: 'POST',
      path: '/conversations/{id}/parts',
      effect: 'write',
      when: { message_type: 'note' },
      body: { required: { message_type: 'text', admin_id: 'text', body: 'text' } },
      answer: ({ store, params, body }) => {
        const conversation = conversationOf(store, params['id']);
        const admin = adminOf(store, body['admin_id']);
        return ok(conversationRecord(store, store.addNote(conversation, admin.id, String(body['body']))));
      },
    },
    {
      operation: 'messaging.conversations.assignToTeam',
      method: 'POST',
      path: '/conversations/{id}/parts',
      effect: 'write',
      when: { message_type: 'assignment' },
      body: { required: { message_type: 'text', type: 'text', admin_id: 'text', assignee_id: 'text' } },
      answer: ({ store, params, body }) => {
        const conversation = conversationOf(store, params['id']);
        const admin = adminOf(store, body['admin_id']);
        const assignee = assigneeOf(store, body['type'], body['assignee_id']);
        return ok(conversationRecord(store, store.assign(conversation, admin.id, assignee)));
      },
    },
    {
      operation: 'messaging.conversations.close',
      method: 'POST',
      path: '/conversations/{id}/parts',
      effect: 'write',
      when: { message_type: 'close' },
      body: { required: { message_type: 'text', type: 'text', admin_id: 'text' }, optional: { body: 'text' } },
      answer: ({ store, params, body }) => {
        if (body['type'] !== 'admin') throw invalid('type', 'must be "admin"');
        const conversation = conversationOf(store, params['id']);
        const admin = adminOf(store, body['admin_id']);
        return ok(conversationRecord(store, store.close(conversation, admin.id)));
      },
    },
    {
      operation: 'messaging.conversations.tags.attach',
      method: 'POST',
      path: '/conversations/{id}/tags',
      effect: 'write',
      body: { required: { id: 'text', admin_id: 'text' } },
      answer: ({ store, params, body }) => {
        const conversation = conversationOf(store, params['id']);
        adminOf(store, body['admin_id']);
        return attachTag(store, conversation, body['id']);
      },
    },
    {
      operation: 'messaging.conversations.tags.detach',
      method: 'DELETE',
      path: '/conversations/{id}/tags/{tag_id}',
      effect: 'write',
      body: { required: { admin_id: 'text' } },
      answer: ({ store, params, body }) => {
        const conversation = conversationOf(store, params['id']);
        adminOf(store, body['admin_id']);
        return detachTag(store, conversation, params['tag_id']);
      },
    },
    {
      operation: 'messaging.tags.list',
      method: 'GET',
      path: '/tags',
      effect: 'read',
      answer: ({ store }) => list([...store.tags.values()].map((tag) => ({ type: 'tag', ...tag }))),
    },
    {
      operation: 'messaging.admins.list',
      method: 'GET',
      path: '/admins',
      effect: 'read',
      answer: ({ store }) => list([...store.admins.values()].map((admin) => ({ type: 'admin', ...admin }))),
    },
    {
      operation: 'messaging.admins.me',
      method: 'GET',
      path: '/me',
      effect: 'read',
      answer: ({ store }) => ok({ type: 'admin', ...adminOf(store, ownAdminId) }),
    },
    {
      operation: 'messaging.teams.list',
      method: 'GET',
      path: '/teams',
      effect: 'read',
      answer: ({ store }) => list([...store.teams.values()].map((team) => ({ type: 'team', ...team }))),
    },
  ];

  return {
    endpoints,
    refusals: {
      unauthorized: [401, 'unauthorized'],
      version: [400, 'version_invalid'],
      path: [404, 'not_found'],
      method: [405, 'method_not_allowed'],
      media: [415, 'media_type_not_acceptable'],
      json: [400, 'bad_request'],
      missing: [400, 'parameter_missing'],
      type: [400, 'parameter_invalid'],
      unknown: [400, 'parameter_invalid'],
      limited: [429, 'rate_limit_exceeded'],
      'key-reused': [422, 'idempotency_key_reused'],
      'key-mismatch': [400, 'parameter_invalid'],
      fault: [500, 'server_error'],
    },
    errorBody: ({ code, message, field }, requestId) => ({
      type: 'error.list',
      request_id: requestId,
      errors: [{ code, message, ...(field === undefined ? {} : { field }) }],
    }),
  };
};

const contactFields: Fields = {
  optional: {
    phone: 'phone',
    email: 'email',
    name: 'text',
    external_id: 'text',
    role: 'text',
    owner_id: 'text',
    custom_attributes: 'attributes',
  },
};

const companyFields: Fields = {
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

const ok = (body: unknown): EndpointAnswer => ({ status: 200, body });

const notFound = (what: string) =>
  new Refused(
    404,
    what === 'contact' || what === 'conversation' ? 'not_found' : `${what}_not_found`,
    `No such ${what}`,
  );

const contactOf = (store: MessagingStore, id: unknown): FakeContact => {
  const contact = store.contacts.get(String(id));
  if (!contact) throw notFound('contact');
  return contact;
};
const conversationOf = (store: MessagingStore, id: unknown): FakeConversation => {
  const conversation = store.conversations.get(String(id));
  if (!conversation) throw notFound('conversation');
  return conversation;
};
const companyOf = (store: MessagingStore, id: unknown): FakeCompany => {
  const company = store.companies.get(String(id));
  if (!company) throw notFound('company');
  return company;
};
const adminOf = (store: MessagingStore, id: unknown) => {
  const admin = store.admins.get(String(id));
  if (!admin) throw notFound('admin');
  return admin;
};
const assigneeOf = (store: MessagingStore, type: unknown, id: unknown): { type: 'team' | 'admin'; id: string } => {
  if (type !== 'team' && type !== 'admin') throw invalid('type', 'must be "team" or "admin"');
  const known = type === 'team' ? store.teams : store.admins;
  if (!known.has(String(id))) throw notFound('assignee');
  return { type, id: String(id) };
};

/** E-mail and external id belong to one contact; phone numbers may be shared, as on the real platform. */
const refuseTaken = (store: MessagingStore, body: Readonly<Record<string, unknown>>, self?: FakeContact) => {
  if (body['role'] !== undefined && body['role'] !== 'user' && body['role'] !== 'lead') {
    throw invalid('role', 'must be "user" or "lead"');
  }
  for (const field of ['email', 'external_id'] as const) {
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

/** The body was checked against `contactFields`, whose names and types a contact's are. */
const toContactSeed = (body: Readonly<Record<string, unknown>>) => structuredClone(body) as Seed<FakeContact>;

const attachTag = (store: MessagingStore, record: { tag_ids: string[] }, id: unknown): EndpointAnswer => {
  const tag = store.tags.get(String(id));
  if (!tag) throw notFound('tag');
  if (!record.tag_ids.includes(tag.id)) record.tag_ids.push(tag.id);
  return ok({ type: 'tag', ...tag });
};

const detachTag = (store: MessagingStore, record: { tag_ids: string[] }, id: unknown): EndpointAnswer => {
  const tag = store.tags.get(String(id));
  if (!tag || !record.tag_ids.includes(tag.id)) throw notFound('tag');
  record.tag_ids = record.tag_ids.filter((other) => other !== tag.id);
  return ok({ type: 'tag', ...tag });
};
