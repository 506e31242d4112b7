import type OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { LiveCall, LiveTurn } from 'voice-agent-integrations';
import { chat } from 'voice-agent-integrations/tools/openai';
import { greeting, instructions } from '../instructions.ts';

export interface Conversation {
  readonly call: LiveCall;
  /** The caller has said something. */
  readonly hear: (words: string) => void;
  /** The caller talks over the answer, of which only this much was spoken. */
  readonly interrupt: (dialogue: string) => void;
}

export interface ConversationOptions {
  readonly call: LiveCall;
  readonly model: OpenAI;
  readonly send: (message: object) => void;
  /** How long the model has for one answer, tools included. @defaultValue 20000 */
  readonly answerMs?: number | undefined;
}

/** The model's side of a phone call: one answer after the other, spoken while it is being thought. */
export const startConversation = ({ call, model, send, answerMs = 20_000 }: ConversationOptions): Conversation => {
  const messages: ChatCompletionMessageParam[] = [{ role: 'system', content: instructions }];
  let speech = new AbortController();
  /** The last answer. All of it is here long before it is spoken. */
  let last: { role: 'assistant'; content: string } | undefined;
  /** What was spoken of an answer that the caller talked over while it was being thought. */
  let cut: string | undefined;

  const note = (content: string) => {
    last = { role: 'assistant', content };
    messages.push(last);
  };

  /** The last answer was spoken to its end, or this far. */
  const spoken = (words = last?.content) => {
    if (words !== undefined) call.phoneCall.said(words);
    if (last && words !== undefined) last.content = words;
    last = undefined;
  };
  note(greeting);
  call.signal.addEventListener('abort', () => spoken());

  const answer = async (words: string, tools: LiveTurn['tools'], signal: AbortSignal): Promise<void> => {
    messages.push({ role: 'user', content: words });
    for (;;) {
      const stream = model.chat.completions.stream(
        { model: process.env['OPENAI_MODEL'] ?? 'gpt-5-mini', messages, tools: chat.tools(tools) },
        { signal },
      );
      stream.on('content', (token) => send({ type: 'text', token, last: false }));
      const choice = (await stream.finalChatCompletion()).choices[0];
      if (!choice) throw new Error('the model gave no answer');
      const { content, ...message } = choice.message;
      // Also when the caller talks over it: the model must get the result of each of its tool calls.
      const results = await chat.runAll(tools, choice);
      if (results.length === 0) {
        send({ type: 'text', token: '', last: true });
        return note(content ?? '');
      }
      messages.push({ content, ...message }, ...results);
    }
  };

  return {
    call,
    hear: (words) => {
      spoken();
      const talkedOver = speech.signal;
      const answered = call.turn({ heard: words }, ({ tools, signal }) =>
        answer(words, tools, AbortSignal.any([talkedOver, signal, AbortSignal.timeout(answerMs)])).catch(
          (error: unknown) => {
            if (cut !== undefined) messages.push({ role: 'assistant', content: cut });
            cut = undefined;
            if (talkedOver.aborted || signal.aborted) return;
            console.error(error);
            const apology = 'I am sorry, something went wrong here. Could you say that again?';
            send({ type: 'text', token: apology, last: true });
            note(apology);
          },
        ),
      );
      // The line is gone.
      answered.catch(() => undefined);
    },
    interrupt: (dialogue) => {
      speech.abort();
      speech = new AbortController();
      if (!last) cut = dialogue;
      spoken(dialogue);
    },
  };
};
