import { entry } from '../api/entry.ts';
import { readList } from '../core/envelope.ts';
import { type Reader, readNothing, readOptional } from '../core/schema.ts';
import * as check from './fields.ts';
import * as read from './readers.ts';
import type { Conversation } from './records.ts';
import { search, writeSearch } from './search-query.ts';

/** How conversations are read and written. */
interface ConversationEndpointOptions {
  readonly conversation: Reader<Conversation>;
  readonly writeText: (text: string) => string;
}

/**
 * The operations on conversations. What the default API doesn't name is written as Intercom does.
 *
 * `message_type` is in an entry and nowhere else: the method you call decides whether the customer sees a text.
 */
export const conversationEndpoints = ({ conversation, writeText }: ConversationEndpointOptions) => ({
  get: entry({
    method: 'GET',
    path: 'conversations/{id}',
    absentOn404: true,
    returns: readOptional(conversation),
  }),
  create: entry({
    method: 'POST',
    path: 'conversations',
    takes: check.newConversation,
    body: ({ contactId, body }) => ({ from: { type: 'contact', id: contactId }, body: writeText(body) }),
    returns: conversation,
  }),
  reply: entry({
    method: 'POST',
    path: 'conversations/{id}/reply',
    takes: check.message,
    body: ({ adminId, body }) => ({
      message_type: 'comment',
      type: 'admin',
      admin_id: adminId,
      body: writeText(body),
    }),
    returns: conversation,
  }),
  addNote: entry({
    method: 'POST',
    path: 'conversations/{id}/parts',
    takes: check.message,
    body: ({ adminId, body }) => ({ message_type: 'note', body, admin_id: adminId }),
    returns: conversation,
  }),
  assignToTeam: entry({
    method: 'POST',
    path: 'conversations/{id}/parts',
    takes: check.toTeam,
    body: ({ adminId, teamId }) => ({
      message_type: 'assignment',
      type: 'team',
      admin_id: adminId,
      assignee_id: teamId,
    }),
    returns: conversation,
  }),
  close: entry({
    method: 'POST',
    path: 'conversations/{id}/parts',
    takes: check.farewell,
    body: ({ adminId, body }) => ({
      message_type: 'close',
      type: 'admin',
      admin_id: adminId,
      body: body === undefined ? undefined : writeText(body),
    }),
    returns: conversation,
  }),
  search: entry({
    method: 'POST',
    path: 'conversations/search',
    takes: search,
    body: writeSearch,
    effect: 'read',
    returns: readList(conversation, { under: ['conversations'] }),
  }),
  update: entry({
    method: 'PUT',
    path: 'conversations/{id}',
    takes: check.conversationFields,
    withoutKeys: 'again',
    returns: conversation,
  }),
  reopen: entry({
    method: 'POST',
    path: 'conversations/{id}/parts',
    takes: check.byAdmin,
    body: ({ adminId }) => ({ message_type: 'open', admin_id: adminId }),
    returns: conversation,
  }),
  snooze: entry({
    method: 'POST',
    path: 'conversations/{id}/parts',
    takes: check.snooze,
    body: ({ adminId, until }) => ({ message_type: 'snoozed', admin_id: adminId, snoozed_until: until }),
    returns: conversation,
  }),
  assignToAdmin: entry({
    method: 'POST',
    path: 'conversations/{id}/parts',
    takes: check.toAdmin,
    body: ({ adminId, toAdminId }) => ({
      message_type: 'assignment',
      type: 'admin',
      admin_id: adminId,
      assignee_id: toAdminId,
    }),
    returns: conversation,
  }),
  unassign: entry({
    method: 'POST',
    path: 'conversations/{id}/parts',
    takes: check.byAdmin,
    // `0` is no one: neither an admin nor a team.
    body: ({ adminId }) => ({ message_type: 'assignment', type: 'admin', admin_id: adminId, assignee_id: '0' }),
    returns: conversation,
  }),
  tags: {
    attach: entry({
      method: 'POST',
      path: 'conversations/{id}/tags',
      takes: check.conversationTag,
      body: ({ adminId, tagId }) => ({ id: tagId, admin_id: adminId }),
      withoutKeys: 'again',
      returns: read.tag,
    }),
    detach: entry({
      method: 'DELETE',
      path: 'conversations/{id}/tags/{tagId}',
      takes: check.byAdmin,
      body: ({ adminId }) => ({ admin_id: adminId }),
      returns: readNothing,
    }),
  },
});
