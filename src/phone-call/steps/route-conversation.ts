import type { Conversation, MessagingClient } from '../../messaging/index.ts';
import { requestOptions, stepKey, type StepOptions } from './step.ts';

/** Which conversation goes to which team. */
export interface RouteConversationInput {
  readonly teamId: string;
  /** @defaultValue the phone call's own, which is started if there is none yet */
  readonly conversationId?: string | undefined;
}

/** Who hands it over, and how long that may take. */
export interface RouteConversationOptions extends StepOptions {
  /** Who hands it over. @defaultValue the client's `adminId` */
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
