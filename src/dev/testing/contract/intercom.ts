import type { Contract, Endpoint, EndpointAnswer, EndpointCall } from '../endpoint.ts';
import type { OperationName } from '../operations.ts';
import { invalidParameter as invalid, Refused } from '../refused.ts';
import { type MessagingStore, ownAdminId } from '../store/messaging.ts';
import { companyFields, contactFields, refuseArchived, refuseTaken, toContactSeed } from './contact-fields.ts';
import { contactField, searchIntercom } from './intercom-search.ts';
import { intercomPeopleEndpoints } from './intercom-people.ts';
import { messageRecord, pagesRecord, partsSpeltByIntercom } from './intercom-records.ts';
import { messagingContract } from './messaging.ts';
import { adminOf, companyOf, contactOf, conversationOf, ok } from './messaging-lookups.ts';
import {
  adminRecord,
  companyRecord,
  contactRecord,
  conversationRecord,
  tagRecords,
  teamRecord,
} from './messaging-records.ts';
import type { Limit } from '../../../http/operation.ts';
import type { RequestMeter } from '../pipeline.ts';

type Answer = (call: EndpointCall<MessagingStore>) => EndpointAnswer;

/**
 * Intercom's API as its description of version 2.16 has it. What differs from the default API is refused or answered
 * otherwise. What both share is taken from the other contract.
 */
export const intercomContract = ({ searchDelayMs }: { readonly searchDelayMs: number }): Contract<MessagingStore> => {
  const documented = messagingContract({ envelope: 'data' });
  const searchableAt = new Map<string, number>();
  const isSearchable = (id: string) => Date.now() >= (searchableAt.get(id) ?? 0);

  const answers: Partial<Record<OperationName, Answer>> = {
    'messaging.contacts.create': ({ store, body }) => {
      if (!['email', 'external_id', 'role'].some((field) => body[field]))
        throw new Refused(400, 'parameter_missing', 'one of email, external_id and role is required');
      refuseArchived(store, body);
      refuseTaken(store, body, undefined, body['role'] === 'lead' ? ['external_id'] : undefined);
      const contact = store.createContact(toContactSeed(body));
      searchableAt.set(contact.id, Date.now() + searchDelayMs);
      return ok(contactRecord(store, contact));
    },
    'messaging.contacts.search': ({ store, body }) => {
      const contacts = [...store.contacts.values()].filter(({ id }) => isSearchable(id));
      const page = searchIntercom(contacts, body, contactField);
      const data = page.records.map((contact) => contactRecord(store, contact));
      return ok({ type: 'list', data, ...pagesRecord(page) });
    },
    'messaging.contacts.tags.list': ({ store, params }) =>
      ok({ type: 'list', data: tagRecords(store, contactOf(store, params['id'])) }),
    'messaging.companies.listForContact': ({ store, params }) => {
      const companies = contactOf(store, params['id']).company_ids.map((id) => companyRecord(companyOf(store, id)));
      return ok({ type: 'list', companies, total_count: companies.length, pages: { type: 'pages', next: null } });
    },
    'messaging.conversations.create': ({ store, body }) => {
      // Checked to be an object.
      const from = body['from'] as Readonly<Record<string, unknown>>;
      if (!['contact', 'user', 'lead'].includes(String(from['type'])))
        throw invalid('from.type', 'must be "contact", "user" or "lead"');
      if (typeof from['id'] !== 'string') throw invalid('from.id', 'must be a string');
      refuseGone(store, from['id']);
      const contact = contactOf(store, from['id']);
      return ok(messageRecord(store.createConversation(contact.id, String(body['body']))));
    },
    'messaging.tags.list': ({ store }) =>
      ok({ type: 'list', data: [...store.tags.values()].map((tag) => ({ type: 'tag', ...tag })) }),
    'messaging.admins.list': ({ store }) =>
      ok({ type: 'admin.list', admins: [...store.admins.values()].map(adminRecord) }),
    'messaging.admins.me': ({ store }) =>
      ok({ ...adminRecord(adminOf(store, ownAdminId)), app: { type: 'app', id_code: 'fake_app', region: 'US' } }),
    'messaging.teams.list': ({ store }) => ok({ type: 'team.list', teams: [...store.teams.values()].map(teamRecord) }),
  };

  const rows = documented.endpoints
    .filter(({ operation }) => operation !== 'messaging.conversations.addNote')
    .map(
      (row): Endpoint<MessagingStore> => ({
        ...row,
        ...bodies[row.operation],
        answer: answers[row.operation] ?? row.answer,
      }),
    );

  return {
    ...documented,
    endpoints: [...rows, addNote, getByExternalId, ...intercomPeopleEndpoints].map(speltByIntercom),
    refusals: {
      ...documented.refusals,
      version: [400, 'intercom_version_invalid'],
      type: [422, 'type_mismatch'],
    },
  };
};

/** The fields in addition to the default API's. */
const bodies: Partial<Record<OperationName, Pick<Endpoint<MessagingStore>, 'body' | 'query'>>> = {
  'messaging.contacts.tags.attach': { body: { required: { id: 'text' } } },
  'messaging.conversations.get': { query: { optional: { display_as: 'text' } } },
  'messaging.contacts.create': { body: contactFields },
  'messaging.contacts.search': {
    body: { required: { query: 'object' }, optional: { pagination: 'object', sort: 'object' } },
  },
  'messaging.companies.update': { body: { optional: { ...companyFields.optional, monthly_spend: 'integer' } } },
};

const addNote: Endpoint<MessagingStore> = {
  operation: 'messaging.conversations.addNote',
  method: 'POST',
  path: '/conversations/{id}/reply',
  effect: 'write',
  when: { message_type: 'note' },
  body: { required: { message_type: 'text', type: 'text', admin_id: 'text', body: 'text' } },
  answer: ({ store, params, body }) => {
    if (body['type'] !== 'admin') throw invalid('type', 'must be "admin"');
    const conversation = conversationOf(store, params['id']);
    const admin = adminOf(store, body['admin_id']);
    return ok(conversationRecord(store, store.addNote(conversation, admin.id, String(body['body']))));
  },
};

const getByExternalId: Endpoint<MessagingStore> = {
  operation: 'messaging.contacts.getByExternalId',
  method: 'GET',
  path: '/contacts/find_by_external_id/{external_id}',
  effect: 'read',
  answer: ({ store, params }) => {
    const contact = [...store.contacts.values()].find(({ external_id }) => external_id === params['external_id']);
    if (!contact) throw new Refused(404, 'not_found', 'User Not Found');
    return ok(contactRecord(store, contact));
  },
};

/** A deleted contact is refused wherever its id is used, and parts are spelt as Intercom spells them. */
const speltByIntercom = (row: Endpoint<MessagingStore>): Endpoint<MessagingStore> => ({
  ...row,
  answer: (call) => {
    if (row.path.startsWith('/contacts/{id}')) refuseGone(call.store, call.params['id']);
    const { body, ...answer } = row.answer(call);
    return { ...answer, body: partsSpeltByIntercom(body) };
  },
});

/** A merged contact names the one that it became; an archived one is only gone. */
const refuseGone = (store: MessagingStore, id: string | undefined): void => {
  const gone = store.gone.get(id ?? '');
  if (!gone) return;
  if (gone.into === undefined) throw new Refused(410, 'not_found', 'This contact has been archived.');
  throw new Refused(
    410,
    'contact_merged',
    "This contact has been merged. See the 'Link' header for the canonical contact.",
    { headers: { link: `</contacts/${gone.into}>; rel="canonical"` } },
  );
};

/**
 * Intercom's limit: windows that follow one another on the wall clock, reported on every answer. Without `Retry-After`:
 * `X-RateLimit-Reset` says when the next window begins, in UNIX seconds.
 */
export const createIntercomLimit = ({ limit, perMs }: Limit): RequestMeter => {
  let window = Number.NaN;
  let taken = 0;
  const enter = () => {
    const current = Math.floor(Date.now() / perMs);
    if (current !== window) taken = 0;
    window = current;
  };
  return {
    count: () => {
      enter();
      if (taken >= limit) throw new Refused(429, 'rate_limit_exceeded', 'Exceeded rate limit');
      taken += 1;
    },
    headers: () => {
      enter();
      return {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(limit - taken),
        'x-ratelimit-reset': String(Math.ceil(((window + 1) * perMs) / 1_000)),
        // By the clock that the reset follows.
        date: new Date().toUTCString(),
      };
    },
  };
};
