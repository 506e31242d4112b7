import type OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { chat } from 'voice-agent-integrations/tools/openai';
import { greeting, instructions } from '../instructions.ts';
import type { OpenCall } from '../phone-calls.ts';

export interface Conversation {
  readonly call: OpenCall;
  /** The caller has said something. */
  readonly hear: (words: string) => void;
  /** The caller talks over the answer, of which only this much was spoken. */
  readonly interrupt: (dialogue: string) => void;
}

export interface ConversationOptions {
  readonly call: OpenCall;
  readonly model: OpenAI;
  readonly send: (message: object) => void;
  /** How long the model has for one answer, tools included. @defaultValue 20000 */
  readonly answerMs?: number | undefined;
}

/** The model's side of a phone call: one answer after the other, spoken while it is being thought. */
export const startConversation = ({ call, model, send, answerMs = 20_000 }: ConversationOptions): Conversation => {
  const messages: ChatCompletionMessageParam[] = [
    { role: 'system', content: instructions },
    { role: 'assistant', content: greeting },
  ];
  let speech = new AbortController();
  let answering = Promise.resolve();

  /** Corrects the last answer, since all of it is here long before it is spoken. */
  let correct: ((dialogue: string) => void) | undefined;

  const note = (words: string) => {
    const message: ChatCompletionMessageParam = { role: 'assistant', content: words };
    messages.push(message);
    const correctTranscript = call.hear('Agent', words);
    correct = (dialogue) => {
      message.content = dialogue;
      correctTranscript(dialogue);
    };
  };

  const answer = async (words: string, talkedOver: AbortSignal): Promise<void> => {
    correct = undefined;
    call.hear('Caller', words);
    messages.push({ role: 'user', content: words });
    // All requests of one answer share one deadline: the caller is waiting.
    const { tools } = call.phoneCall.turn({ signal: call.hungUp });
    const signal = AbortSignal.any([talkedOver, call.hungUp, AbortSignal.timeout(answerMs)]);
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
      const { signal } = speech;
      answering = answering
        .then(() => answer(words, signal))
        .catch((error: unknown) => {
          // `interrupt` keeps the part that was spoken.
          if (signal.aborted || call.hungUp.aborted) return;
          console.error(error);
          const apology = 'I am sorry, something went wrong here. Could you say that again?';
          send({ type: 'text', token: apology, last: true });
          note(apology);
        });
    },
    interrupt: (dialogue) => {
      speech.abort();
      speech = new AbortController();
      answering = answering.then(() => (correct ?? note)(dialogue));
    },
  };
};
