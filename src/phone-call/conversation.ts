import { type RecordCallInput, type RecordedBefore, type RecordedCall, recordCall } from './steps/record-call.ts';
import type { StepReport } from './steps/step-report.ts';
import type { CallFacts } from './steps/task-fields.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { MessagingClient } from '../messaging/index.ts';
import type { Scope } from './scope.ts';
import { addRecorded, type PhoneCallState } from './state.ts';

/** The conversation of a phone call. */
export interface EnsuredConversation {
  readonly conversationId: string;
  /** `false` where there was one already. */
  readonly created: boolean;
}

export interface ConversationParts {
  readonly messaging: MessagingClient;
  readonly facts: CallFacts;
  readonly state: PhoneCallState;
  /** Finds out in whose name the conversation is started. */
  readonly identify: () => Promise<unknown>;
  readonly scope: Scope;
}

/**
 * Starts the phone call's conversation unless there is one. Steps take turns, so that there is one however many need it at
 * once; the key `callId:conversation` does the same across processes.
 */
export const ensureConversation = ({
  messaging,
  facts,
  state,
  identify,
  scope,
}: ConversationParts): Promise<EnsuredConversation> => {
  const start = async (): Promise<EnsuredConversation> => {
    if (state.conversation) return { conversationId: state.conversation.id, created: false };
    if (state.recorded.mayBeDone.includes('conversation') && state.recorded.unclear) throw state.recorded.unclear.error;
    const { phone, email } = state.caller;
    if (state.caller.contactId === undefined && (phone || email)) await identify();
    const { contactId } = state.caller;
    if (contactId === undefined) {
      const why = phone || email ? 'several contacts match, ask for another detail' : 'identify the caller first';
      throw new InvalidArgumentError('contactId', `is not known yet: ${why}`);
    }
    const { callId, direction } = facts;
    const words = state.recorded.unclear?.words ?? { summary: `${direction} phone call` };
    const input = { contactId, ...words };
    const recorded = await recordCall({ messaging }, { ...input, callId }, scope);
    rememberRecorded(state, input, recorded, { holdsWords: false });
    if (recorded.conversationId !== undefined) return { conversationId: recorded.conversationId, created: true };
    throw errorOf(recorded.steps);
  };
  return state.conversationTurns.take('messaging.conversations.create', start, scope);
};

/** Keeps what was written, for the steps that come. */
export const rememberRecorded = (
  state: PhoneCallState,
  input: RecordCallInput & Pick<RecordedBefore, 'wordsBefore'>,
  { steps, conversationId }: RecordedCall,
  { holdsWords }: { readonly holdsWords: boolean },
): void => {
  if (conversationId !== undefined) state.conversation ??= { id: conversationId, holdsWords };
  state.recorded = addRecorded(state.recorded, input, steps);
  if (input.attributes) state.found = undefined;
};

const errorOf = (steps: readonly StepReport[]): Error => {
  const failed = steps.find((report) => report.status === 'failed');
  return failed?.error ?? new InvalidArgumentError('conversationId', 'is not known: the conversation was not started');
};
