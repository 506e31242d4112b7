import { InvalidArgumentError } from '../../core/errors.ts';
import { clientOf, type OngoingCall } from './ongoing-call.ts';
import { recordCall } from './record-call.ts';
import { rememberRecorded } from './state.ts';
import type { StepOptions } from './step.ts';
import type { StepReport } from './step-report.ts';

/** The conversation of a phone call. */
export interface EnsuredConversation {
  readonly conversationId: string;
  /** `false` where there was one already. */
  readonly created: boolean;
}

/**
 * Starts the phone call's conversation unless there is one. Steps take turns, so that there is one however many need it at
 * once; the key `callId:conversation` does the same across processes. `identify` finds its contact.
 */
export const ensureConversationStep =
  (
    { facts, state, within, ...call }: OngoingCall,
    identify: (input: object, options: StepOptions) => Promise<unknown>,
  ) =>
  async (options?: StepOptions): Promise<EnsuredConversation> => {
    const scope = within(options);
    const messaging = clientOf(call, 'messaging');
    const start = async (): Promise<EnsuredConversation> => {
      if (state.conversation) return { conversationId: state.conversation.id, created: false };
      if (state.recorded.mayBeDone.includes('conversation') && state.recorded.unclear)
        throw state.recorded.unclear.error;
      const { phone, email } = state.caller;
      if (state.caller.contactId === undefined && (phone || email)) await identify({}, scope);
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
    return state.conversationQueue.run('messaging.conversations.create', start, scope);
  };

const errorOf = (steps: readonly StepReport[]): Error => {
  const failed = steps.find((report) => report.status === 'failed');
  return failed?.error ?? new InvalidArgumentError('conversationId', 'is not known: the conversation was not started');
};
