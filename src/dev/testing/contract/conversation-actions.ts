import type { Endpoint, EndpointCall } from '../endpoint.ts';
import type { MessagingStore } from '../store/messaging.ts';
import { pagesRecord } from './intercom-records.ts';
import { type ReadField, searchIntercom } from './intercom-search.ts';
import { invalidParameter as invalid } from '../refused.ts';
import { adminOf, assigneeOf, conversationOf, ok } from './messaging-lookups.ts';
import { conversationRecord } from './messaging-records.ts';
import type { FakeConversation } from '../store/messaging-records.ts';

type Call = EndpointCall<MessagingStore>;

/** An action of an admin: `message_type` says which. */
const action = (
  row: Pick<Endpoint<MessagingStore>, 'operation' | 'operationOf' | 'when' | 'body'>,
  act: (call: Call, conversation: FakeConversation, adminId: string) => FakeConversation,
): Endpoint<MessagingStore> => ({
  ...row,
  method: 'POST',
  path: '/conversations/{id}/parts',
  effect: 'write',
  answer: (call) => {
    const { store, params, body } = call;
    const conversation = conversationOf(store, params['id']);
    return ok(conversationRecord(store, act(call, conversation, adminOf(store, body['admin_id']).id)));
  },
});

/** Intercom's actions on conversations, and its search of them. */
export const conversationActions: readonly Endpoint<MessagingStore>[] = [
  action(
    {
      operation: 'messaging.conversations.assignToTeam',
      operationOf: ({ body: { type, assignee_id } }) => {
        if (assignee_id === '0') return 'messaging.conversations.unassign';
        return type === 'admin' ? 'messaging.conversations.assignToAdmin' : undefined;
      },
      when: { message_type: 'assignment' },
      body: { required: { message_type: 'text', type: 'text', admin_id: 'text', assignee_id: 'text' } },
    },
    ({ store, body: { type, assignee_id } }, conversation, adminId) =>
      store.assign(conversation, adminId, assignee_id === '0' ? null : assigneeOf(store, type, assignee_id)),
  ),
  action(
    {
      operation: 'messaging.conversations.close',
      when: { message_type: 'close' },
      body: { required: { message_type: 'text', type: 'text', admin_id: 'text' }, optional: { body: 'text' } },
    },
    ({ store, body: { type, body } }, conversation, adminId) => {
      if (type !== 'admin') throw invalid('type', 'must be "admin"');
      return store.close(conversation, adminId, typeof body === 'string' ? body : null);
    },
  ),
  action(
    {
      operation: 'messaging.conversations.reopen',
      when: { message_type: 'open' },
      body: { required: { message_type: 'text', admin_id: 'text' } },
    },
    ({ store }, conversation, adminId) => store.wake(conversation, adminId, null),
  ),
  action(
    {
      operation: 'messaging.conversations.snooze',
      when: { message_type: 'snoozed' },
      body: { required: { message_type: 'text', admin_id: 'text', snoozed_until: 'integer' } },
    },
    ({ store, body }, conversation, adminId) => store.wake(conversation, adminId, Number(body['snoozed_until'])),
  ),
  {
    operation: 'messaging.conversations.update',
    method: 'PUT',
    path: '/conversations/{id}',
    effect: 'write',
    body: { optional: { title: 'text', read: 'boolean', company_id: 'text', custom_attributes: 'attributes' } },
    answer: ({ store, params, body: { title, custom_attributes } }) => {
      const conversation = conversationOf(store, params['id']);
      const changes = {
        title: typeof title === 'string' ? title : conversation.title,
        // Checked to be attributes.
        custom_attributes: { ...(custom_attributes as FakeConversation['custom_attributes'] | undefined) },
      };
      return ok(conversationRecord(store, store.updateConversation(conversation, changes)));
    },
  },
  {
    operation: 'messaging.conversations.search',
    method: 'POST',
    path: '/conversations/search',
    effect: 'read',
    body: { required: { query: 'object' }, optional: { pagination: 'object' } },
    answer: ({ store, body }) => {
      const page = searchIntercom([...store.conversations.values()], body, conversationField);
      // The parts are on the record alone.
      const conversations = page.records.map((conversation) => {
        const { conversation_parts: _parts, ...record } = conversationRecord(store, conversation);
        return record;
      });
      return ok({ type: 'conversation.list', conversations, ...pagesRecord(page) });
    },
  },
];

const conversationField: ReadField<FakeConversation> = (field) => {
  if (field === 'contact_ids') return ({ contact_id }) => contact_id;
  if (field === 'open') return ({ state }) => state !== 'closed';
  if (field === 'source.body') return ({ body }) => body;
  const own = (
    ['id', 'state', 'title', 'admin_assignee_id', 'team_assignee_id', 'created_at', 'updated_at'] as const
  ).find((name) => name === field);
  return own && ((conversation) => conversation[own]);
};
