import { createConversationText } from '../../messaging/conversation-text.ts';
import type { Conversation, MessagingClient } from '../../messaging/index.ts';
import * as z from '../../core/schema.ts';
import { parseTimestamp } from '../../core/timestamp.ts';
import type { CallToolsOptions } from './call-tools-options.ts';
import { textForModels } from '../compact.ts';
import { defineTool } from '../define-tool.ts';
import { ownContact } from './own-records.ts';
import { startOfText } from './start-of-text.ts';
import type { Tool } from '../tool.ts';

const noParameters = z.object({});

/** Reads the caller's last conversations before this phone call, without what colleagues wrote to each other. */
export const recentConversationsTool = (
  { conversations }: Pick<MessagingClient, 'conversations'>,
  { lookup = 'caller', timeZone }: Pick<CallToolsOptions, 'lookup' | 'timeZone'>,
): Tool => {
  const textOf = createConversationText({ timeZone });
  return defineTool({
    name: 'list_recent_conversations',
    description: "The identified caller's last conversations.",
    parameters: noParameters,
    effect: 'read',
    slowMessage: 'Let me see what we have talked about.',
    rules: [ownContact(lookup, 'read')],
    maxChars: 1000,
    run: async (_args, { caller, conversationIds, request }) => {
      const { data } = await conversations.listForContact(caller.contactId ?? '', request);
      const before = data
        .filter(({ id }) => !conversationIds.includes(id))
        .toSorted((one, other) => timeOf(other) - timeOf(one));
      // A list has no messages.
      return Promise.all(
        before.slice(0, mostConversations).map(async (one) => (await conversations.get(one.id, request)) ?? one),
      );
    },
    compact: (found) => ({
      conversations: found.map((conversation) => ({
        state: conversation.state ?? undefined,
        ...messagesOf(conversation, textOf),
      })),
      message: found.length === 0 ? 'There are none before this call.' : undefined,
    }),
  });
};

const mostConversations = 3;
const longestMessage = 84;

const timeOf = ({ updated_at, created_at }: Conversation): number => parseTimestamp(updated_at ?? created_at) ?? 0;

/** The first and the last message, with their time and who wrote them. */
const messagesOf = (conversation: Conversation, textOf: (conversation: Conversation) => string) => {
  const { parts = [] } = conversation;
  const texts = [
    textOf({ ...conversation, parts: [] }),
    ...parts.map((part) => textOf({ ...conversation, source: undefined, parts: [part] })),
  ].filter((text) => text !== '');
  const [first, ...others] = texts.map(quote);
  return { first, last: others.at(-1) };
};

const quote = (text: string): string => {
  const line = textForModels(text, 4 * longestMessage);
  const start = startOfText(line, longestMessage);
  return start === line ? line : `${start.trimEnd()}…`;
};
