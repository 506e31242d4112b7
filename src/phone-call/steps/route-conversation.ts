import type { Conversation, MessagingClient } from '../../messaging/index.ts';
import { assertSpelled, type OptionNames } from '../../core/option-checks.ts';
import { clientOf, type OngoingCall } from './ongoing-call.ts';
import { addRecorded, nextTeam } from './state.ts';
import { requestOptions, stepKey, type StepOptions } from './step.ts';

/** The conversation, and the team it goes to. */
export interface RouteConversationInput {
  readonly teamId: string;
  /** @defaultValue the phone call's own, which is started if there is none yet */
  readonly conversationId?: string | undefined;
}

/** The admin who hands it over, and the time for it. */
export interface RouteConversationOptions extends StepOptions {
  /** The admin who hands it over. @defaultValue the client's `adminId` */
  readonly adminId?: string | undefined;
}

/**
 * Hands a conversation to a team. Repeating it for the same team and ordinal repeats the key `callId:route:teamId`.
 * Throws what the client throws.
 */
export const routeConversation = (
  { messaging }: { readonly messaging: MessagingClient },
  { callId, conversationId, teamId, ordinal = 1 }: Routing,
  { adminId, ...options }: RouteConversationOptions = {},
): Promise<Conversation> =>
  messaging.conversations.assignToTeam(
    conversationId,
    { teamId, adminId },
    {
      ...requestOptions(callId, options),
      idempotencyKey: stepKey(callId, ordinal === 1 ? `route:${teamId}` : `route:${teamId}:${ordinal}`),
    },
  );

interface Routing {
  readonly callId: string;
  readonly conversationId: string;
  readonly teamId: string;
  /** Above 1 where the team had the conversation before. Part of the key. */
  readonly ordinal?: number | undefined;
}

/** {@link routeConversation} in a phone call: its own conversation, unless another is given. */
export const routeConversationStep =
  (
    { facts, settings, state, within, ...call }: OngoingCall,
    ensure: (options?: StepOptions) => Promise<{ readonly conversationId: string }>,
  ) =>
  async (input: RouteConversationInput, options?: RouteConversationOptions): Promise<Conversation> => {
    assertSpelled(input, inputNames);
    const conversationId = input.conversationId ?? (await ensure(options)).conversationId;
    const routed = await routeConversation(
      { messaging: clientOf(call, 'messaging') },
      { callId: facts.callId, conversationId, teamId: input.teamId, ordinal: nextTeam(state, input.teamId) },
      { ...settings, ...within(options) },
    );
    if (conversationId === state.conversation?.id) {
      state.recorded = addRecorded(state.recorded, input, [{ step: 'route', status: 'done' }]);
    }
    return routed;
  };

const inputNames: OptionNames<RouteConversationInput> = { conversationId: true, teamId: true };
