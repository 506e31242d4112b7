/** Keeps a realtime session going: runs its function calls, and has the model answer when it may. */
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import { setTimer } from '../../timers.ts';
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { cancelled } from '../failures.ts';
import type { Toolbox } from '../toolbox.ts';
import { toConnection, type RealtimeConnection, type RealtimeSession } from './realtime-connection.ts';
import {
  type ApiError,
  callsIn,
  isBusy,
  isFiller,
  type RealtimeCall,
  readEvent,
  type ServerEvent,
  toCall,
  toFiller,
  toOutput,
  toRealtimeTools,
} from './realtime-events.ts';

/** An answer that the model gives, and then the work that it asked for. */
interface Answer {
  readonly id: string;
  readonly isFiller: boolean;
  /** Ends its look-ups. */
  readonly reads: AbortController;
  readonly calls: Map<string, RealtimeCall>;
  running: number;
  /** The model itself said something before its calls, such as "let me see". */
  hasSpoken: boolean;
  /** What is to be said as soon as it's silent. */
  filler: string | undefined;
  cancelFiller: (() => void) | undefined;
}

/** A result that no answer has taken up. */
interface Owed {
  readonly answer: Answer;
  /** The API has it, so that an answer that begins now takes it up. */
  readonly isConfirmed: boolean;
}

/** An answer that was asked for. */
interface Request {
  readonly id: string;
  readonly calls: ReadonlyMap<string, Owed>;
  /** The first that began since. If the API gave it by itself, the request is refused before its end. */
  answerId: string | undefined;
}

export const connectRealtime = (toolbox: Toolbox, options: RealtimeConnection): RealtimeSession => {
  const { session, context = {}, onError } = options;
  /** Those that the model is giving. */
  const answers = new Map<string, Answer>();
  /** Those whose tools run. */
  const working = new Set<Answer>();
  const seen = new Set<string>();
  const owed = new Map<string, Owed>();
  let request: Request | undefined;
  let requests = 0;
  let callerSpeaks = false;
  let isClosed = false;
  let cancelRetry = () => {};

  const ask = (calls: ReadonlyMap<string, Owed>, response?: ReturnType<typeof toFiller>) => {
    requests += 1;
    request = { id: `tools_${requests}`, calls, answerId: undefined };
    post({ type: 'response.create', event_id: request.id, ...(response && { response }) });
  };

  /** One voice at a time: asks for what is owed, or for a filler, when neither the model nor the caller speaks. */
  const goOn = () => {
    if (isClosed || request || answers.size > 0 || callerSpeaks) return;
    if ([...owed.values()].some(({ answer }) => answer.running === 0)) {
      const calls = new Map(owed);
      owed.clear();
      return ask(calls);
    }
    const slow = [...working].find(({ filler }) => filler !== undefined);
    if (!slow?.filler) return;
    const words = slow.filler;
    slow.filler = undefined;
    ask(new Map(), toFiller(words));
  };

  const goOnLater = () => {
    cancelRetry();
    cancelRetry = setTimer(goOn, laterMs);
  };

  /** Only the first slow tool of an answer says so; a second sentence follows while any of them still works. */
  const sayWhenSlow = (answer: Answer, words: string | undefined) => {
    if (answer.cancelFiller) return;
    answer.filler = answer.hasSpoken ? undefined : words;
    answer.cancelFiller = setTimer(() => {
      answer.filler = stillWorking;
      goOn();
    }, secondFillerMs);
    goOn();
  };

  const start = async (answer: Answer, { id, name, args }: RealtimeCall, signal?: AbortSignal) => {
    seen.add(id);
    answer.running += 1;
    working.add(answer);
    const onSlow: ToolCallContext['onSlow'] = ({ message }) => sayWhenSlow(answer, message);
    const own = mergeContexts({ onSlow, ...context }, { toolCallId: id, signal });
    const { status, text } = await toolbox.run(name, args, own);
    answer.running -= 1;
    if (answer.running === 0) stopWaiting(answer);
    if (status !== 'cancelled') owed.set(id, { answer, isConfirmed: false });
    post({ type: 'conversation.item.create', item: toOutput(id, text) });
    goOn();
  };

  const stopWaiting = (answer: Answer) => {
    working.delete(answer);
    answer.cancelFiller?.();
    answer.filler = undefined;
  };

  const refuse = ({ id, name }: RealtimeCall) => {
    seen.add(id);
    const { value } = cancelled(toolbox.find(name)?.effect ?? 'read');
    post({ type: 'conversation.item.create', item: toOutput(id, JSON.stringify(value)) });
  };

  const answerWith = (id = '', isNewFiller = false): Answer => {
    const known = answers.get(id);
    if (known) return known;
    const answer: Answer = {
      id,
      isFiller: isNewFiller,
      reads: new AbortController(),
      calls: new Map(),
      running: 0,
      hasSpoken: false,
      filler: undefined,
      cancelFiller: undefined,
    };
    answers.set(id, answer);
    return answer;
  };

  /** A server that doesn't say of which answer something is means the last one. */
  const answerOf = (id: string | undefined) => (id === undefined ? [...answers.values()].at(-1) : answerWith(id));

  const silence = (answer: Answer) => post({ type: 'response.cancel', response_id: answer.id });

  const onCreated = (event: ServerEvent) => {
    const answer = answerWith(event.response?.id, isFiller(event));
    if (request) request.answerId ??= answer.id;
    if (answer.isFiller) return callerSpeaks && silence(answer);
    callerSpeaks = false;
    for (const [id, { isConfirmed }] of owed) if (isConfirmed) owed.delete(id);
  };

  /** A look-up needn't wait for the end of the answer; the caller may still interrupt a write. */
  const onItem = ({ response_id, item }: ServerEvent) => {
    const answer = answerOf(response_id);
    if (answer && item?.type === 'message') answer.hasSpoken = true;
    const call = item?.type === 'function_call' && toCall(item);
    if (!answer || !call || seen.has(call.id)) return;
    answer.calls.set(call.id, call);
    const isWhole = call.status === undefined || call.status === 'completed';
    if (isWhole && isRead(call)) void start(answer, call, answer.reads.signal);
  };

  const onDone = (event: ServerEvent) => {
    const { id, status, status_details } = event.response ?? {};
    const answer = answerWith(id);
    answers.delete(answer.id);
    if (request?.answerId === answer.id) request = undefined;
    for (const call of callsIn(event)) answer.calls.set(call.id, call);
    const isInterrupted = status === 'cancelled';
    if (isInterrupted) {
      answer.reads.abort();
      for (const [call, { answer: from }] of owed) if (from === answer) owed.delete(call);
    }
    for (const call of answer.calls.values()) {
      if (seen.has(call.id) || call.status === 'incomplete') continue;
      if (isInterrupted) refuse(call);
      else void start(answer, call, isRead(call) ? answer.reads.signal : undefined);
    }
    if (status === 'failed') report(status_details?.error);
    goOn();
  };

  const isRead = ({ name }: RealtimeCall) => toolbox.find(name)?.effect === 'read';

  const report = (error: ApiError = {}) =>
    ignoreErrors(() =>
      onError(new Error(`Realtime: ${error.message ?? 'the model failed to answer'}`, { cause: error })),
    );

  const onRefused = (error: ApiError = {}) => {
    const isOurs = request !== undefined && (error.event_id ?? request.id) === request.id;
    if (isOurs && isBusy(error)) {
      for (const [id, { answer }] of request?.calls ?? []) owed.set(id, { answer, isConfirmed: true });
      request = undefined;
      // An answer that began before this connection isn't known, so its end isn't either.
      goOnLater();
      return;
    }
    if (isOurs && error.event_id) request = undefined;
    // A filler had ended by itself.
    if (error.code !== 'response_cancel_not_active') report(error);
    goOn();
  };

  const onSpeech = () => {
    callerSpeaks = true;
    for (const answer of working) answer.filler = undefined;
    for (const answer of answers.values()) if (answer.isFiller) silence(answer);
  };

  /** The API begins an answer by itself, unless it's set up otherwise. */
  const onSilence = () => {
    callerSpeaks = false;
    goOnLater();
  };

  const onConfirmed = ({ item }: ServerEvent) => {
    const result = owed.get(item?.call_id ?? '');
    if (item?.type === 'function_call_output' && item.call_id && result)
      owed.set(item.call_id, { ...result, isConfirmed: true });
  };

  /** Of servers that send no items; the arguments may be cut off, so the end of the answer decides. */
  const onArguments = (event: ServerEvent) => {
    const calls = answerOf(event.response_id)?.calls;
    const call = toCall({ ...event, status: undefined });
    if (call && calls && !calls.has(call.id)) calls.set(call.id, call);
  };

  const handlers: Readonly<Record<string, (event: ServerEvent) => void>> = {
    'response.created': onCreated,
    'response.output_item.done': onItem,
    'response.function_call_arguments.done': onArguments,
    'response.done': onDone,
    'conversation.item.added': onConfirmed,
    'conversation.item.created': onConfirmed,
    'input_audio_buffer.speech_started': onSpeech,
    'input_audio_buffer.speech_stopped': onSilence,
    error: ({ error }) => onRefused(error),
  };

  const handle = (sent: unknown) => {
    if (isClosed) return;
    const event = readEvent(sent);
    if (event && Object.hasOwn(handlers, event.type)) handlers[event.type]?.(event);
  };

  const close = () => {
    isClosed = true;
    stop();
    cancelRetry();
    for (const answer of [...answers.values(), ...working]) answer.reads.abort();
    for (const answer of working) stopWaiting(answer);
  };

  const open = () =>
    post({ type: 'session.update', session: { ...session, type: 'realtime', tools: toRealtimeTools(toolbox) } });

  const { post, stop } = toConnection(options, { open, handle, close });
  // The number of an open socket is the same everywhere.
  if (!options.socket || options.socket.readyState === 1) open();
  return { handle, close };
};

/** Said once, when a tool still works this long after its first sentence. */
const secondFillerMs = 4_000;
const stillWorking = 'This is taking a little longer. Thank you for waiting.';

/** Until an answer is asked for that may not be asked for now. */
const laterMs = 500;
