import { id, text } from '../../core/arguments.ts';
import { IntegrationError, InvalidArgumentError } from '../../core/errors.ts';
import { maskCardNumbers } from '../../observability/redaction/card-numbers.ts';
import * as z from '../../core/schema.ts';
import { type CallToolsOptions, stepOptions } from './call-tools-options.ts';
import type { ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { notAllowed } from '../failures.ts';
import { madeOnce } from '../made-once.ts';
import { refused, type Tool, type ToolRule } from '../tool.ts';
import type { Conversation, MessagingClient, Ticket } from '../../messaging/index.ts';
import { createConversationText } from '../../messaging/conversation-text.ts';
import { parseTimestamp } from '../../core/timestamp.ts';
import { textForModels } from '../compact.ts';
import { ownContact } from './right-person.ts';
import type { RequestOptions } from '../../http/operation.ts';

/** Notes, replies and teams: what reaches a conversation of the phone call. */
export const conversationTools = (options: CallToolsOptions): readonly Tool[] => {
  const { messaging, teams = {}, phoneCall, lookup = 'caller' } = options;
  const conversations = messaging?.conversations;

  /** Works in the conversation that is named, or in the phone call's own, which is started on first use. */
  const inCall = async (
    { conversation_id }: InConversation,
    context: ToolContext,
    work: (conversationId: string) => Promise<unknown>,
  ): Promise<unknown> => {
    const known = conversation_id || context.conversationIds[0];
    if (known) return work(known);
    try {
      const { conversationId } = await phoneCall(context).ensureConversation(stepOptions(context));
      return await work(conversationId);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError) || error.field !== 'contactId') throw error;
      const { phone, email } = context.caller;
      return refused(notAllowed(phone || email ? 'several_contacts_match' : 'identify_caller_first', 'write').value);
    }
  };

  const tools: Tool[] = [];
  if (conversations)
    tools.push(
      defineTool({
        name: 'add_note',
        description: 'Leave an internal note. The customer never sees it.',
        parameters: written(),
        effect: 'write',
        idempotent: true,
        slowMessage: 'I am making a note of that.',
        rules: [ownConversation],
        run: async (args, context) => {
          const body = maskCardNumbers(args.text);
          return inCall(args, context, (id) => conversations.addNote(id, { body }, context.request));
        },
        compact: () => ({ noted: true }),
      }),
      defineTool({
        name: 'reply_to_customer',
        description: 'Write to the customer. They read it exactly as it is.',
        parameters: written(),
        effect: 'write',
        idempotent: true,
        slowMessage: 'I am sending that now.',
        rules: [
          ownConversation,
          // Or it would reach the person that the caller only names.
          (_args, { caller }) =>
            lookup !== 'anyone' && caller.verified === 'no' && caller.claimed?.length
              ? refused(notAllowed('verification_required', 'write').value)
              : undefined,
        ],
        run: async (args, context) => {
          const body = maskCardNumbers(args.text);
          return inCall(args, context, (id) => conversations.reply(id, { body }, context.request));
        },
        compact: () => ({ sent: true }),
      }),
    );
  if (Object.keys(teams).length > 0)
    tools.push(
      defineTool({
        name: 'route_to_team',
        description: 'Hand the conversation to a team, when the caller needs a person.',
        parameters: routeParameters(teams),
        // The step itself routes once; what another team was given in between makes it worth doing again.
        effect: 'write',
        slowMessage: 'I am handing you over.',
        rules: [ownConversation],
        run: (args, context) =>
          inCall(args, context, (conversationId) =>
            phoneCall(context).routeConversation(
              // The schema lets only the names of teams pass.
              { teamId: teams[args.team] ?? '', conversationId },
              stepOptions(context),
            ),
          ),
        compact: (_conversation, { team }) => ({ routed_to: team }),
      }),
    );
  return tools;
};

const inConversation = () => ({
  conversation_id: z.nullish(id()).check(z.describe('Leave out for this call.')),
});

const routeParameters = madeOnce((teams: NonNullable<CallToolsOptions['teams']>) =>
  z.object({ team: z.enum(Object.keys(teams)).check(z.describe('Who can help.')), ...inConversation() }),
);

const written = z.lazily(() => z.object({ text: text().check(z.maxLength(1000)), ...inConversation() }));

interface InConversation {
  readonly conversation_id?: string | null | undefined;
}

const ownConversation: ToolRule<InConversation> = ({ conversation_id }, { conversationIds }) =>
  conversation_id && !conversationIds.includes(conversation_id)
    ? { field: 'conversation_id', problem: 'is not a conversation of this call: leave it out, or use null' }
    : undefined;

const searchParameters = z.lazily(() => z.object({ words: text().check(z.maxLength(200), z.describe('Key words.')) }));

/** Looks into the published articles of the help center. */
export const helpCenterTool = ({ articles }: Pick<MessagingClient, 'articles'>): Tool =>
  defineTool({
    name: 'search_help_center',
    description: 'Find answers in the help center.',
    parameters: searchParameters(),
    effect: 'read',
    slowMessage: 'Let me look that up.',
    maxChars: 900,
    run: ({ words }, { request }) => articles.search({ phrase: words }, request),
    compact: ({ data, total }, { words }) => ({
      articles: data
        .slice(0, mostArticles)
        .map(({ title, body }) => ({ title: title ?? undefined, text: excerpt(body ?? '', words) || undefined })),
      more: total !== undefined && total > mostArticles ? total - mostArticles : undefined,
      message: data.length === 0 ? 'No article says anything about it: try other words.' : undefined,
    }),
  });

const mostArticles = 3;
const excerptLength = 220;

/** The part of an article with the most words of the question, from the beginning of a sentence that has one of them. */
const excerpt = (body: string, words: string): string => {
  const wanted = words
    .toLowerCase()
    .split(/\P{L}+/u)
    .filter((word) => word.length > 2);
  const countIn = (part: string) => wanted.filter((word) => part.toLowerCase().includes(word)).length;
  const starts = [0, ...Array.from(body.matchAll(/[.!?]\s+|\n+/g), (end) => end.index + end[0].length)];
  const parts = starts.map((start, index) => {
    const text = startOfText(body.slice(start, start + excerptLength), excerptLength);
    const sentence = body.slice(start, starts[index + 1]);
    return {
      text,
      isCut: start + text.length < body.length,
      score: 2 * countIn(text) + Math.min(1, countIn(sentence)),
    };
  });
  // Of equal ones the first.
  const { text, isCut } = parts.reduce((best, part) => (part.score > best.score ? part : best));
  if (!isCut) return text;
  const space = text.lastIndexOf(' ');
  return `${space > 0 ? text.slice(0, space) : text} …`;
};

const noParameters = z.lazily(() => z.object({}));

/** Reads the caller's last conversations before this phone call, without what colleagues wrote to each other. */
export const recentConversationsTool = (
  { conversations }: Pick<MessagingClient, 'conversations'>,
  { lookup = 'caller', timeZone }: Pick<CallToolsOptions, 'lookup' | 'timeZone'>,
): Tool => {
  const textOf = createConversationText({ timeZone });
  return defineTool({
    name: 'list_recent_conversations',
    description: "The identified caller's last conversations.",
    parameters: noParameters(),
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

const ticketParameters = z.lazily(() =>
  z.object({
    title: text().check(z.maxLength(200)),
    description: text().check(z.maxLength(1000)),
  }),
);

/** Opens a ticket for the caller, which is linked to the phone call's conversation where there is one. */
export const ticketTool = (
  { tickets }: Pick<MessagingClient, 'tickets'>,
  { ticketTypeId, lookup = 'caller' }: Pick<CallToolsOptions, 'lookup'> & { readonly ticketTypeId: string },
): Tool =>
  defineTool({
    name: 'create_ticket',
    description: "Open a ticket for what can't be solved now. The customer can read it.",
    parameters: ticketParameters(),
    effect: 'write',
    idempotent: true,
    slowMessage: 'I am opening a ticket.',
    rules: [ownContact(lookup, 'write')],
    run: async ({ title, description }, { caller, conversationIds, request }) => {
      const ticket = {
        ticketTypeId,
        // The rule has seen to it.
        contactId: caller.contactId ?? '',
        conversationId: conversationIds[0],
        title: maskCardNumbers(title),
        description: maskCardNumbers(description),
      };
      const startedAt = Date.now();
      try {
        return await tickets.create(ticket, request);
      } catch (error) {
        if (!(error instanceof IntegrationError) || error.outcome !== 'unknown') throw error;
        const made = await findTicket(tickets, { ...ticket, startedAt }, request).catch(() => undefined);
        if (made) return made;
        throw error;
      }
    },
    compact: ({ ticket_id: number, id }) => ({ created: true, ticket_number: number ?? id }),
  });

interface LostTicket {
  readonly contactId: string;
  readonly title: string;
  readonly description: string;
  readonly startedAt: number;
}

/** The ticket that may have been created although its answer was lost. */
const findTicket = async (
  tickets: MessagingClient['tickets'],
  { contactId, title, description, startedAt }: LostTicket,
  { deadline, signal, callId }: RequestOptions,
): Promise<Ticket | undefined> => {
  const { data } = await tickets.listForContact(contactId, { deadline, signal, callId });
  // The platform's clock may differ.
  const since = startedAt - 60_000;
  return data.find(
    (ticket) =>
      inOneLine(ticket.title) === inOneLine(title) &&
      inOneLine(ticket.description) === inOneLine(description) &&
      Number(ticket.created_at) * 1000 >= since,
  );
};

/** A platform may keep line breaks and spaces in its own way. */
const inOneLine = (text: string | null | undefined): string | undefined => text?.replace(/\s+/g, ' ').trim();

/** The beginning of a text that costs a model about as many tokens as `length` characters of English. */
const startOfText = (text: string, length: number): string => {
  let end = 0;
  let cost = 0;
  for (const character of text) {
    cost += costOf(character.codePointAt(0) ?? 0);
    if (cost > length) break;
    end += character.length;
  }
  return text.slice(0, end);
};

/** A token is about four letters of Latin script, two of Cyrillic or Arabic, and one of Chinese or Japanese. */
const costOf = (codePoint: number): number => {
  if (codePoint < 0x0250) return 1;
  return codePoint < 0x2e80 ? 2 : 4;
};
