import type { Conversation, MessagingClient } from '../messaging/index.ts';
import { stepKey } from './step-key.ts';
import { requestOptions, type StepOptions } from './step-options.ts';

/** Which conversation goes to which team. */
export interface RouteConversationInput {
  readonly callId: string;
  readonly conversationId: string;
  readonly teamId: string;
  /** Raise it to hand the conversation back to a team that had it before. Part of the key. @defaultValue 1 */
  readonly ordinal?: number | undefined;
}

/** Who hands it over, and how long that may take. */
export interface RouteConversationOptions extends StepOptions {
  /** Who hands it over. @defaultValue the client's `adminId` */
  readonly adminId?: string | undefined;
}

/**
 * Hands a conversation to a team. Repeating it for the same team and ordinal repeats the key `callId:route:teamId`.
 * Throws what the client throws.
 *
 * @example
 * await routeConversation({ messaging }, { callId, conversationId, teamId: 'team_billing' });
 */
export const routeConversation = (
  { messaging }: { readonly messaging: MessagingClient },
  { callId, conversationId, teamId, ordinal = 1 }: RouteConversationInput,
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
