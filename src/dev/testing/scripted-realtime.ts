import { type Fields, fieldsOf, type ModelAnswer, type NextAnswer, responses } from './model-formats.ts';

/** A realtime session of a scripted model: what a WebSocket to the API is, and a caller. */
export interface ScriptedRealtime {
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: (event: object) => void): void;
  removeEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  removeEventListener(type: 'open' | 'close' | 'error', listener: (event: object) => void): void;
  /**
   * The caller says these words, and the model answers: resolves with its next words, after the tools that it calls.
   * Rejects where the script doesn't fit.
   */
  say(words: string): Promise<string>;
}

/** Tools and a conversation, as the Responses API says them: both APIs have the same items. */
type Next = (body: Fields, format: typeof responses) => NextAnswer;

export const openScriptedRealtime = (next: Next): ScriptedRealtime => {
  const listeners = new Map<string, Set<(event: Message) => void>>();
  const items: Fields[] = [];
  let session: Fields = {};
  let readyState = openState;
  let count = 0;
  let waiting: PromiseWithResolvers<string>[] = [];

  const listenersOf = (type: string) => {
    const known = listeners.get(type) ?? new Set();
    listeners.set(type, known);
    return known;
  };
  const dispatch = (type: string, event: Message) => {
    for (const listener of listenersOf(type)) listener(event);
  };
  const emit = (event: Fields) => {
    count += 1;
    if (readyState === openState)
      dispatch('message', { data: JSON.stringify({ event_id: `event_${count}`, ...event }) });
  };
  const fail = (message: string, more: Fields = {}) =>
    emit({ type: 'error', error: { type: 'invalid_request_error', message, ...more } });

  const add = (item: Fields) => {
    const added = { id: `item_${items.length + 1}`, object: 'realtime.item', status: 'completed', ...item };
    items.push(added);
    emit({ type: 'conversation.item.added', item: added });
    emit({ type: 'conversation.item.done', item: added });
    return added;
  };

  const give = (output: readonly Fields[], response: Fields = {}) => {
    count += 1;
    const whole = { id: `resp_${count}`, object: 'realtime.response', conversation_id: 'conv_1', ...response };
    const place = { response_id: whole.id };
    emit({ type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } });
    for (const [output_index, item] of output.entries()) {
      emit({ type: 'response.output_item.added', ...place, output_index, item: { ...item, status: 'in_progress' } });
      emit({ type: 'response.output_item.done', ...place, output_index, item });
    }
    emit({ type: 'response.done', response: { ...whole, status: 'completed', output } });
  };

  const settle = (end: (saying: PromiseWithResolvers<string>) => void) => {
    const settled = waiting;
    waiting = [];
    for (const saying of settled) end(saying);
  };

  const answer = () => {
    const step = next({ ...session, input: [...items] }, responses);
    if ('refusal' in step) {
      fail(step.refusal);
      return settle(({ reject }) => reject(new Error(step.refusal)));
    }
    give(toItems(step).map(add));
    if ('says' in step) settle(({ resolve }) => resolve(step.says));
  };

  const handlers: Readonly<Record<string, (event: Fields) => void>> = {
    'session.update': (event) => {
      session = { ...session, ...fieldsOf(event['session']) };
      emit({ type: 'session.updated', session });
    },
    'conversation.item.create': (event) => {
      const item = fieldsOf(event['item']);
      const isOpen = items.some(({ type, call_id }) => type === 'function_call' && call_id === item['call_id']);
      if (item['type'] === 'function_call_output' && !isOpen)
        return fail(`Tool call ID '${String(item['call_id'])}' not found in conversation.`);
      add(item);
    },
    'response.create': (event) => {
      const response = fieldsOf(event['response']);
      // Words while a tool works: they are no step of the script.
      if (response['conversation'] === 'none') return give([], { metadata: response['metadata'] });
      answer();
    },
    'response.cancel': () =>
      fail('Cancellation failed: no active response found', { code: 'response_cancel_not_active' }),
  };

  return {
    get readyState() {
      return readyState;
    },
    send: (text) => {
      const event = fieldsOf(JSON.parse(text));
      // The API answers later.
      queueMicrotask(() => handlers[String(event['type'])]?.(event));
    },
    close: () => {
      if (readyState !== openState) return;
      readyState = closedState;
      dispatch('close', { data: undefined });
      settle(({ reject }) => reject(new Error('The realtime session was closed.')));
    },
    addEventListener: (type: string, listener: (event: Message) => void) => void listenersOf(type).add(listener),
    removeEventListener: (type: string, listener: (event: Message) => void) => void listenersOf(type).delete(listener),
    say: (words) => {
      const saying = Promise.withResolvers<string>();
      waiting.push(saying);
      queueMicrotask(() => {
        const item_id = `item_${items.length + 1}`;
        emit({ type: 'input_audio_buffer.speech_started', item_id });
        emit({ type: 'input_audio_buffer.speech_stopped', item_id });
        emit({ type: 'input_audio_buffer.committed', item_id });
        add({ type: 'message', role: 'user', content: [{ type: 'input_audio', text: words, transcript: words }] });
        answer();
      });
      return saying.promise;
    },
  };
};

interface Message {
  readonly data: unknown;
}

/** The same numbers as those of every WebSocket. */
const openState = 1;
const closedState = 3;

const toItems = (answer: ModelAnswer): readonly Fields[] =>
  'says' in answer
    ? [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_audio', text: answer.says, transcript: answer.says }],
        },
      ]
    : answer.calls.map(({ id, name, args }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: JSON.stringify(args),
      }));
