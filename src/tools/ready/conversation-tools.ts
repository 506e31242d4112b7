import { id, text } from '../../core/arguments.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { maskCardNumbers } from '../../observability/card-numbers.ts';
import * as z from '../../core/schema.ts';
import { type CallToolsOptions, stepOptions } from './call-tools-options.ts';
import type { ToolContext } from '../context.ts';
import { defineTool } from '../define-tool.ts';
import { notAllowed } from '../failures.ts';
import { madeOnce } from '../made-once.ts';
import { refused, type Tool, type ToolRule } from '../tool.ts';

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
        parameters: written,
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
        parameters: written,
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

const inConversation = {
  conversation_id: z.nullish(id()).check(z.describe('Leave out for this call.')),
};

const routeParameters = madeOnce((teams: NonNullable<CallToolsOptions['teams']>) =>
  z.object({ team: z.enum(Object.keys(teams)).check(z.describe('Who can help.')), ...inConversation }),
);

const written = z.object({ text: text().check(z.maxLength(1000)), ...inConversation });

interface InConversation {
  readonly conversation_id?: string | null | undefined;
}

const ownConversation: ToolRule<InConversation> = ({ conversation_id }, { conversationIds }) =>
  conversation_id && !conversationIds.includes(conversation_id)
    ? { field: 'conversation_id', problem: 'is not a conversation of this call: leave it out, or use null' }
    : undefined;
