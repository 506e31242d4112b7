import type { Conversation, MessagingClient } from '../messaging/index.ts';
import { stepKey } from './step-key.ts';
import { requestOptions, type StepOptions } from './step-options.ts';

export interface RouteConversationInput {
  readonly callId: string;
  readonly conversationId: string;
  readonly teamId: string;
}

export interface RouteConversationOptions extends StepOptions {
  /** Who hands it over. @defaultValue the client's `adminId` */
  readonly adminId?: string | undefined;
}

/**
 * Hands a conversation to a team. Repeating it for the same team repeats the key `callId:route:teamId`.
 * Throws what the client throws.
 */
export const routeConversation = (
  { messaging }: { readonly messaging: MessagingClient },
  { callId, conversationId, teamId }: RouteConversationInput,
  { adminId, ...options }: RouteConversationOptions = {},
): Promise<Conversation> =>
  messaging.conversations.assignToTeam(
    conversationId,
    { teamId, adminId },
    { ...requestOptions(callId, options), idempotencyKey: stepKey(callId, `route:${teamId}`) },
  );
