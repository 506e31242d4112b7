import type { Contract, Endpoint, EndpointAnswer } from '../endpoint.ts';
import { invalidParameter as invalid, Refused } from '../refused.ts';
import { type MessagingStore, ownAdminId } from '../store/messaging.ts';
import { companyFields, contactFields, refuseTaken, toContactSeed } from './contact-fields.ts';
import { toMatcher } from './contact-search.ts';
import { conversationActions } from './conversation-actions.ts';
import { type Envelope, listAnswer } from './envelope.ts';
import { helpDeskEndpoints } from './help-desk.ts';
import { adminOf, attachTag, companyOf, contactOf, conversationOf, detachTag, found, ok } from './messaging-lookups.ts';
import {
  adminRecord,
  companyRecord,
  contactRecord,
  conversationRecord,
  tagRecords,
  teamRecord,
} from './messaging-records.ts';

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
      body: { required: { id: 'text' }, optional: { admin_id: 'text' } },
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
    ...conversationActions,
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
      operation: 'messaging.admins.get',
      method: 'GET',
      path: '/admins/{id}',
      effect: 'read',
      answer: ({ store, params }) => ok(adminRecord(adminOf(store, params['id']))),
    },
    {
      operation: 'messaging.teams.get',
      method: 'GET',
      path: '/teams/{id}',
      effect: 'read',
      answer: ({ store, params }) => ok(teamRecord(found(store.teams, params['id'], 'team'))),
    },
    {
      operation: 'messaging.admins.list',
      method: 'GET',
      path: '/admins',
      effect: 'read',
      answer: ({ store }) => list([...store.admins.values()].map(adminRecord)),
    },
    {
      operation: 'messaging.admins.me',
      method: 'GET',
      path: '/me',
      effect: 'read',
      answer: ({ store }) => ok(adminRecord(adminOf(store, ownAdminId))),
    },
    {
      operation: 'messaging.teams.list',
      method: 'GET',
      path: '/teams',
      effect: 'read',
      answer: ({ store }) => list([...store.teams.values()].map(teamRecord)),
    },
    ...helpDeskEndpoints,
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
      errors: [{ code, message, field }],
    }),
  };
};
