import { isStepCount, type LanguageModel, type ModelMessage, streamText } from 'ai';
import { aiSdk } from 'voice-agent-integrations/tools/ai-sdk';
import { instructions } from '../instructions.ts';
import type { LiveCall } from '../live-calls.ts';

/** What the platform has of the conversation: the words of both sides, as they were spoken. */
export interface Spoken {
  readonly role: string;
  readonly content?: string | null | undefined;
}

export interface Conversations {
  /** The answer to the last words, piece by piece. Never throws: after an error it is an apology. */
  readonly answer: (call: LiveCall, spoken: readonly Spoken[], signal: AbortSignal) => AsyncIterable<string>;
}

export interface ConversationsOptions {
  readonly model: LanguageModel;
  /** How long the model has for one answer, tools included; Vapi waits for 20 seconds. @defaultValue 15000 */
  readonly answerMs?: number | undefined;
}

/** The model's side of phone calls whose whole conversation the platform sends again in each request. */
export const createConversations = ({ model, answerMs = 15_000 }: ConversationsOptions): Conversations => {
  /** The tools' answers, which the platform does not have, by the number of the caller's words that they were for. */
  const toolMessages = new WeakMap<LiveCall, Map<number, readonly ModelMessage[]>>();

  return {
    answer: async function* (call, spoken, signal) {
      const known = toolMessages.get(call) ?? new Map<number, readonly ModelMessage[]>();
      toolMessages.set(call, known);
      const late = AbortSignal.timeout(answerMs);
      const result = streamText({
        model,
        instructions,
        messages: withToolMessages(spoken, known),
        // All requests of one answer share one deadline.
        tools: aiSdk.tools(call.phoneCall.turn({ signal: call.hungUp }).tools),
        stopWhen: isStepCount(8),
        // The caller is waiting.
        maxRetries: 1,
        abortSignal: AbortSignal.any([signal, call.hungUp, late]),
        // It is thrown below.
        onError: () => undefined,
      });
      try {
        for await (const part of result.stream) {
          if (part.type === 'text-delta') yield part.text;
          if (part.type === 'error') throw part.error;
          if (part.type === 'abort') throw new Error('the model took too long');
        }
      } catch (error) {
        // The caller is gone.
        if (signal.aborted || call.hungUp.aborted) return;
        console.error(error);
        return yield 'I am sorry, something went wrong here. Could you say that again?';
      }
      const messages: readonly ModelMessage[] = await result.responseMessages;
      const lastResult = messages.findLastIndex(({ role }) => role === 'tool');
      known.set(countOf(spoken), messages.slice(0, lastResult + 1));
    },
  };
};

/** The conversation with the tool calls of the model and their results in between. */
const withToolMessages = (
  spoken: readonly Spoken[],
  known: ReadonlyMap<number, readonly ModelMessage[]>,
): ModelMessage[] => {
  let turn = 0;
  return spoken.flatMap(({ role, content }): readonly ModelMessage[] => {
    if (!content) return [];
    if (role === 'assistant') return [{ role, content }];
    if (role !== 'user') return [];
    turn += 1;
    return [{ role, content }, ...(known.get(turn) ?? [])];
  });
};

const countOf = (spoken: readonly Spoken[]) => spoken.filter(({ role, content }) => role === 'user' && content).length;
