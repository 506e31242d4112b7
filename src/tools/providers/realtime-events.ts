/** The events of the Realtime API: those that a session sends, and what it reads of those that it gets. */
import {
  array,
  catch as orElse,
  type infer as Infer,
  object,
  optional,
  string,
  unknown,
  type ZodMiniType,
} from 'zod/mini';
import { toPortable } from '../dialects.ts';
import { cutReasonOf } from '../finish-reason.ts';
import type { Toolbox } from '../toolbox.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';

/** For `session.tools`; the Realtime API has no strict mode. */
export const toRealtimeTools = (from: WithTools) =>
  toolboxOf(from, 'realtime.tools')
    .tools()
    .map(({ name, description, parameters }) => ({
      type: 'function' as const,
      name,
      description,
      parameters: toPortable(parameters),
    }));

/**
 * The `tools` of a session: those of the toolbox next to the application's own. `others` are the names that the
 * application answers itself.
 */
export const joinTools = (toolbox: Toolbox, session: object = {}) => {
  const own: readonly unknown[] = 'tools' in session && Array.isArray(session.tools) ? session.tools : [];
  const isOther = (tool: unknown) => !toolbox.find(nameOf(tool) ?? '');
  const kept = own.filter(isOther);
  // The application's own tools are what the API takes; they are sent as they are.
  const tools = [...kept, ...toRealtimeTools(toolbox)] as ReturnType<typeof toRealtimeTools>;
  return { tools, others: kept.flatMap((tool) => nameOf(tool) ?? []) };
};

/** Tools of other kinds than functions have no name. */
const nameOf = (tool: unknown): string | undefined =>
  typeof tool === 'object' && tool !== null && 'name' in tool && typeof tool.name === 'string' ? tool.name : undefined;

/** The result of a function call, as an item of the conversation. */
export const toOutput = (call_id: string, output: string) => ({
  type: 'function_call_output' as const,
  call_id,
  output,
});

/** A function call that the model didn't make: the result of an earlier one needs one, since an id is answered once. */
export const toFunctionCall = ({ id: call_id, name, args }: Omit<RealtimeCall, 'status'>) => ({
  type: 'function_call' as const,
  call_id,
  name,
  arguments: args,
});

/** The events that a session sends. */
export type RealtimeEvent =
  | { type: 'session.update'; session: { type: 'realtime'; tools: ReturnType<typeof toRealtimeTools> } }
  | { type: 'conversation.item.create'; item: ReturnType<typeof toOutput | typeof toFunctionCall> }
  | { type: 'response.create'; event_id: string; response?: Filler }
  | { type: 'response.cancel'; response_id: string };

/** An answer that is spoken, but isn't written into the conversation. */
interface Filler {
  conversation: 'none';
  metadata: { purpose: string };
  tool_choice: 'none';
  instructions: string;
}

/** Has the model say `words` while a tool works. It reads the conversation for its language alone. */
export const toFiller = (words: string): Filler => ({
  conversation: 'none',
  metadata: { purpose: fillerPurpose },
  tool_choice: 'none',
  instructions: `A tool is still working, and its result isn't known. Say only this sentence, in the language of the conversation, and add nothing: "${words}"`,
});

const fillerPurpose = 'tool_is_slow';

export const isFillerEvent = ({ response }: ServerEvent): boolean => response?.metadata?.purpose === fillerPurpose;

/** An item that the application wrote for the caller. Other items of a user may be instructions of the application. */
export const isByCaller = ({ type, role, id }: Infer<typeof item>): boolean =>
  type === 'message' && role === 'user' && id?.startsWith('caller_') === true;

/** A server that isn't OpenAI's may leave out or change a field that is only good to know. */
const whenThere = <Schema extends ZodMiniType>(schema: Schema) => orElse(optional(schema), undefined);
const text = whenThere(string());

const item = object({ id: text, type: text, role: text, call_id: text, name: text, arguments: text, status: text });
const failure = object({ message: text, code: text, event_id: text });
const details = object({ type: text, reason: text, error: whenThere(failure) });

const serverEvent = object({
  type: string(),
  response_id: text,
  // Of `input_audio_buffer.speech_started` and `input_audio_buffer.committed`.
  item_id: text,
  // Of `response.function_call_arguments.done`.
  call_id: text,
  name: text,
  arguments: text,
  item: whenThere(item),
  response: whenThere(
    object({
      id: text,
      status: text,
      metadata: whenThere(object({ purpose: text })),
      output: whenThere(array(whenThere(item))),
      status_details: whenThere(details),
    }),
  ),
  error: whenThere(failure),
  // Of `session.updated`.
  session: whenThere(object({ tools: whenThere(array(unknown())) })),
});

/** The part of an event that is read. */
export type ServerEvent = Infer<typeof serverEvent>;
/** The API's words for a failure. */
export type ApiError = Infer<typeof failure>;

/** Reads an event, parsed or as text; `undefined` for everything that isn't one. */
export const readEvent = (event: unknown): ServerEvent | undefined =>
  serverEvent.safeParse(typeof event === 'string' ? parseOrNothing(event) : event).data;

const parseOrNothing = (event: string): unknown => {
  try {
    return JSON.parse(event);
  } catch {
    return undefined;
  }
};

/** A function call that can be answered. */
export interface RealtimeCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
  /** `incomplete`: it was cut off. */
  readonly status: string | undefined;
}

export const toCall = ({
  call_id,
  name,
  arguments: args = '',
  status,
}: Infer<typeof item>): RealtimeCall | undefined => (call_id && name ? { id: call_id, name, args, status } : undefined);

/** The function calls among the items of an answer. */
export const callsIn = ({ response }: ServerEvent): readonly RealtimeCall[] =>
  (response?.output ?? []).flatMap((each) => (each?.type === 'function_call' ? (toCall(each) ?? []) : []));

/** The end of an answer in a server's words. The details may be all of it, and may be `null`. */
export interface AnswerEnd {
  readonly status?: string | undefined;
  readonly status_details?:
    | {
        readonly type?: string | undefined;
        readonly reason?: string | undefined;
        readonly error?: { readonly code?: string | undefined; readonly message?: string | undefined } | undefined;
      }
    | null
    | undefined;
}

/** Returns how an answer ended. Only a whole one has its calls run. */
export const endOf = ({
  status,
  status_details,
}: AnswerEnd = {}): 'whole' | 'interrupted' | 'failed' | 'incomplete' => {
  const { type, reason, error } = status_details ?? {};
  const words = [status, type, reason].join(' ');
  if (interruptedWords.test(words)) return 'interrupted';
  if (failedWords.test(words) || (error?.code ?? error?.message)) return 'failed';
  return cutReasonOf(status, type, reason) === undefined ? 'whole' : 'incomplete';
};

const interruptedWords = /cancel|turn.?detect|interrupt|abort/i;
const failedWords = /fail|error/i;

/** The API refused to start an answer while it gives another. */
export const isBusy = ({ code = '', message = '' }: ApiError): boolean =>
  code === 'conversation_already_has_active_response' || message.includes('already has an active response');
