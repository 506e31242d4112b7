import { isStepCount, type LanguageModel, type ModelMessage, streamText } from 'ai';
import type { LiveCall } from 'voice-agent-integrations';
import { aiSdk } from 'voice-agent-integrations/tools/ai-sdk';
import { instructions } from '../instructions.ts';

/** What the platform has of the conversation: the words of both sides, as they were spoken. */
export interface Spoken {
  readonly role: string;
  readonly content?: string | null | undefined;
}

/** What the platform doesn't have: the tools' answers, by the number of the caller's words that they were for. */
export interface Conversation {
  readonly toolMessages: Map<number, readonly ModelMessage[]>;
  /** How many words of the caller were heard. A request that comes again has none that are new. */
  heard: number;
}

export const startConversation = (): Conversation => ({ toolMessages: new Map(), heard: 0 });

export interface AnswerOptions {
  readonly model: LanguageModel;
  /** Aborts when the caller talks over the answer. */
  readonly signal: AbortSignal;
  /** Gets the answer piece by piece. */
  readonly write: (words: string) => Promise<void>;
  /** How long the model has for one answer, tools included; Vapi waits for 20 seconds. @defaultValue 15000 */
  readonly answerMs?: number | undefined;
}

/** Answers the last words of a conversation that the platform sends in each request. After an error it apologises. */
export const answer = async (
  call: LiveCall<Conversation>,
  spoken: readonly Spoken[],
  { model, signal: talkedOver, write, answerMs = 15_000 }: AnswerOptions,
): Promise<void> => {
  const { state } = call;
  const words = spoken.flatMap(({ role, content }) => (role === 'user' && content ? [content] : []));
  const heard = words.length > state.heard ? words.at(-1) : undefined;
  state.heard = words.length;
  await call.turn({ heard }, async ({ tools, signal: hungUp }) => {
    let said = '';
    const say = async (piece: string) => {
      said += piece;
      await write(piece);
    };
    const result = streamText({
      model,
      instructions,
      messages: withToolMessages(spoken, state.toolMessages),
      tools: aiSdk.tools(tools),
      stopWhen: isStepCount(8),
      // The caller is waiting.
      maxRetries: 1,
      abortSignal: AbortSignal.any([talkedOver, hungUp, AbortSignal.timeout(answerMs)]),
      // It is thrown below.
      onError: () => undefined,
    });
    try {
      for await (const part of result.stream) {
        if (part.type === 'text-delta') await say(part.text);
        if (part.type === 'error') throw part.error;
        if (part.type === 'abort') throw new Error('the model took too long');
      }
    } catch (error) {
      // The caller is gone.
      if (talkedOver.aborted || hungUp.aborted) return said;
      console.error(error);
      await say('I am sorry, something went wrong here. Could you say that again?');
      return said;
    }
    const messages: readonly ModelMessage[] = await result.responseMessages;
    const lastResult = messages.findLastIndex(({ role }) => role === 'tool');
    state.toolMessages.set(words.length, messages.slice(0, lastResult + 1));
    return said;
  });
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
