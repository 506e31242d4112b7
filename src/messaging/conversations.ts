import { id } from '../arguments.ts';
import { InvalidArgumentError } from '../errors.ts';
import { sendAgain } from '../http/repeat.ts';
import { checkArgument, type Reader, readNothing } from '../schema.ts';
import type { ByAdmin, MessagingClient } from './client.ts';
import * as check from './fields.ts';
import * as read from './readers.ts';
import type { Conversation } from './records.ts';
import { followMerge, type Workspace } from './workspace.ts';

/** The operations on conversations. Every action on one is done by an admin. */
export const createConversations = (
  workspace: Workspace,
  defaultAdminId: string | undefined,
): MessagingClient['conversations'] => {
  const { http, dialect } = workspace;
  const conversation = read.conversationReader(dialect.readBody);
  const created: Reader<Conversation> = (json, context) => conversation(dialect.createdConversation(json), context);

  /** Who does what to which conversation. */
  const actionOf = (operation: string, conversationId: string, by: ByAdmin) => {
    const { adminId = defaultAdminId } = by ?? {};
    if (adminId === undefined)
      throw new InvalidArgumentError('adminId', 'must be given, here or in the options of the client', { operation });
    return {
      conversationId: checkArgument(operation, id, conversationId, 'id'),
      adminId: checkArgument(operation, id, adminId, 'adminId'),
    };
  };

  return {
    get: async (conversationId, call) => {
      const operation = 'messaging.conversations.get';
      const checkedId = checkArgument(operation, id, conversationId, 'id');
      return http.request({ operation, ...dialect.getConversation(checkedId), returns: conversation }, call);
    },
    create: async (started, call) => {
      const operation = 'messaging.conversations.create';
      const { contactId, body } = checkArgument(operation, check.newConversation, started);
      return followMerge(workspace, contactId, call, (contactId, call) =>
        http.request({ operation, ...dialect.createConversation({ contactId, body }), returns: created }, call),
      );
    },
    reply: async (conversationId, reply, call) => {
      const operation = 'messaging.conversations.reply';
      const { body } = checkArgument(operation, check.message, reply);
      const action = actionOf(operation, conversationId, reply);
      return http.request({ operation, ...dialect.reply({ ...action, body }), returns: conversation }, call);
    },
    addNote: async (conversationId, note, call) => {
      const operation = 'messaging.conversations.addNote';
      const { body } = checkArgument(operation, check.message, note);
      const action = actionOf(operation, conversationId, note);
      return http.request({ operation, ...dialect.addNote({ ...action, body }), returns: conversation }, call);
    },
    assignToTeam: async (conversationId, to, call) => {
      const operation = 'messaging.conversations.assignToTeam';
      const { teamId } = checkArgument(operation, check.toTeam, to);
      const action = actionOf(operation, conversationId, to);
      return http.request({ operation, ...dialect.assignToTeam({ ...action, teamId }), returns: conversation }, call);
    },
    close: async (conversationId, by = {}, call) => {
      const operation = 'messaging.conversations.close';
      const { body } = checkArgument(operation, check.farewell, by);
      const action = actionOf(operation, conversationId, by);
      return http.request({ operation, ...dialect.close({ ...action, body }), returns: conversation }, call);
    },
    tags: {
      attach: async (conversationId, tag, call) => {
        const operation = 'messaging.conversations.tags.attach';
        const { tagId } = checkArgument(operation, check.tagged, tag);
        const action = actionOf(operation, conversationId, tag);
        return http.request(
          {
            operation,
            withoutKeys: sendAgain,
            ...dialect.attachConversationTag({ ...action, tagId }),
            returns: read.tag,
          },
          call,
        );
      },
      detach: async (conversationId, tag, call) => {
        const operation = 'messaging.conversations.tags.detach';
        const { tagId } = checkArgument(operation, check.tagged, tag);
        const action = actionOf(operation, conversationId, tag);
        return http.request(
          { operation, ...dialect.detachConversationTag({ ...action, tagId }), returns: readNothing },
          call,
        );
      },
      list: async (conversationId, call) => {
        const operation = 'messaging.conversations.tags.list';
        const checkedId = checkArgument(operation, id, conversationId, 'id');
        const { tags = [] } = await http.request(
          { operation, ...dialect.getConversation(checkedId), returns: conversation },
          call,
        );
        return { data: tags, total: tags.length };
      },
    },
  };
};
