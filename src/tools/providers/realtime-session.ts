/** Keeps a realtime session going: runs its function calls, and has the model answer when it may. */
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import { setTimer, setUnrefTimer } from '../../core/timers.ts';
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { cancelled, cutOff } from '../failures.ts';
import { isCutOff } from '../finish-reason.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { type Answer, createAnswer, type Owed } from './realtime-answer.ts';
import { toConnection, type RealtimeConnection, type RealtimeSession } from './realtime-connection.ts';
import {
  type ApiError,
  callsIn,
  endOf,
  isBusy,
  isByCaller,
  isFillerEvent,
  joinTools,
  type RealtimeCall,
  readEvent,
  type ServerEvent,
  toCall,
  toFiller,
  toFunctionCall,
  toOutput,
} from './realtime-events.ts';
import { createFillers } from './realtime-fillers.ts';
import { createTurns } from './realtime-turns.ts';

/** An answer that was asked for. */
interface Request {
  readonly id: string;
  readonly calls: ReadonlyMap<string, Owed>;
  readonly isFiller: boolean;
  readonly turn: number;
  readonly askedAt: number;
  /** The first that began since. If the API gave it by itself, the request is refused before its end. */
  answerId: string | undefined;
}

export const connectRealtime = (from: WithTools, options: RealtimeConnection): RealtimeSession => {
  const toolbox = toolboxOf(from, 'realtime.connect');
  const { session, context = {}, onError } = options;
  /** The answers whose end hasn't come: the model gives one of them at most, and perhaps a filler. */
  const answers = new Map<string, Answer>();
  const seen = new Set<string>();
  const owed = new Map<string, Owed>();
  const turns = createTurns();
  const { tools, others } = joinTools(toolbox, session);
  /** Functions that the application answers. */
  let foreign: readonly string[] = others;
  let request: Request | undefined;
  let requests = 0;
  let lateResults = 0;
  /** Answers in a row that failed or were refused. */
  let failures = 0;
  /** The server gives back the `metadata` of a request. */
  let echoes = false;
  let callerSpeaks = false;
  let isClosed = false;
  let cancelRetry = () => {};
  let cancelCheck = () => {};
  let cancelQuiet = () => {};

  const ask = (calls: ReadonlyMap<string, Owed>, response?: ReturnType<typeof toFiller>) => {
    requests += 1;
    request = {
      id: `tools_${requests}`,
      calls,
      isFiller: response !== undefined,
      turn: turns.current(),
      askedAt: performance.now(),
      answerId: undefined,
    };
    const asked = { type: 'response.create' as const, event_id: request.id };
    post(response ? { ...asked, response } : asked);
    goOn();
  };

  /** The answer that the model gives now, as far as is known. */
  const present = () => [...answers.values()].findLast(({ isOver }) => !isOver);

  /** Its end never came, or doesn't matter. What comes of it later still counts. */
  const leave = (answer: Answer) => {
    answer.isOver = true;
    if (request?.answerId === answer.id) request = undefined;
  };

  /** Not every server says how an answer ends. After a while without any event of it, the line is free. */
  const waitFor = (moment: number, end: () => void) => {
    cancelQuiet();
    const left = moment - performance.now();
    if (left > 0) {
      cancelQuiet = setUnrefTimer(goOn, left);
      return;
    }
    end();
    goOn();
  };

  /** One voice at a time: asks for what is owed, or for a filler, when neither the model nor the caller speaks. */
  const goOn = () => {
    if (isClosed || callerSpeaks) return;
    const asked = request;
    if (asked && !asked.answerId) return waitFor(asked.askedAt + unbegunMs, () => onLost(asked, neverBegan));
    const answer = present();
    if (answer) return waitFor(answer.lastEventAt + quietMs, () => leave(answer));
    if (request) return;
    if ([...owed.values()].some(({ answer }) => answer.running === 0)) {
      const calls = new Map(owed);
      owed.clear();
      return ask(calls);
    }
    const words = fillers.take();
    if (words !== undefined) ask(new Map(), toFiller(words));
  };

  const fillers = createFillers(goOn);

  const goOnLater = (ms = laterMs) => {
    cancelRetry();
    cancelRetry = setTimer(goOn, ms);
  };

  const askAgain = (calls: ReadonlyMap<string, Owed>) => {
    for (const [id, { answer }] of calls) owed.set(id, { answer, isConfirmed: true });
  };

  /** Counts a failure. `false`: there were too many in a row, and the application learns that the line is silent. */
  const mayAskAgain = (error?: ApiError): boolean => {
    failures += 1;
    if (failures <= mostRetries) return true;
    report({ ...error, message: `there is no answer after ${failures} tries: ${error?.message ?? 'they failed'}` });
    return false;
  };

  const retryMs = () => laterMs * 4 ** (failures - 1);

  const start = async (answer: Answer, call: RealtimeCall, signal?: AbortSignal) => {
    const { id, name, args } = call;
    seen.add(id);
    answer.running += 1;
    fillers.start(answer, id, toolbox.find(name));
    const onSlow: ToolCallContext['onSlow'] = ({ message }) => fillers.say(answer, message);
    const onLate: ToolCallContext['onSettled'] = ({ result }) =>
      void ended.then((first) => result.text !== first.text && deliverLate(answer, call, result.text));
    const { sent, turn } = turns.place(args, answer.turn);
    const own = { toolCallId: id, signal, turn, onSettled: onLate };
    const ended = toolbox.run(name, sent, mergeContexts({ onSlow, ...context }, own));
    const { status, text } = await ended;
    turns.remember(text);
    answer.running -= 1;
    fillers.end(answer, id);
    deliver(answer, id, text, status !== 'cancelled');
    goOn();
  };

  /** A result that could not be sent isn't asked for. */
  const deliver = (answer: Answer, id: string, text: string, isOwed: boolean) => {
    if (isOwed) owed.set(id, { answer, isConfirmed: false });
    if (!post({ type: 'conversation.item.create', item: toOutput(id, text) })) owed.delete(id);
  };

  /** A colleague's decision, or the end of a payment: the model reads it as a call of the same tool. */
  const deliverLate = (answer: Answer, { name, args }: RealtimeCall, text: string) => {
    lateResults += 1;
    const id = `late_${lateResults}`;
    post({ type: 'conversation.item.create', item: toFunctionCall({ id, name, args }) });
    deliver(answer, id, text, true);
    goOn();
  };

  const refuse = (answer: Answer, { id, name }: RealtimeCall, toFailure: typeof cancelled, isOwed: boolean) => {
    seen.add(id);
    const { value } = toFailure(toolbox.find(name)?.effect ?? 'read');
    deliver(answer, id, JSON.stringify(value), isOwed);
  };

  const answerWith = (id = '', isNewFiller = false): Answer => {
    const known = answers.get(id);
    if (known) return known;
    const answer = createAnswer(id, turns.current(), isNewFiller);
    answers.set(id, answer);
    const [oldest = ''] = answers.keys();
    if (answers.size > mostAnswers) answers.delete(oldest);
    return answer;
  };

  /** The calls that were neither started nor refused. */
  const openCalls = ({ calls }: Answer) =>
    [...calls.values()].filter(({ id, name }) => !seen.has(id) && !foreign.includes(name));

  /** The calls of an answer without an end are cut ones, once nothing more comes of it. */
  const watch = (answer: Answer, ms = quietMs) => {
    answer.cancelWatch();
    answer.cancelWatch = setUnrefTimer(() => {
      const left = answer.lastEventAt + quietMs - performance.now();
      if (left > 0) return watch(answer, left);
      const open = openCalls(answer);
      if (isClosed || open.length === 0) return;
      const mayRetry = mayAskAgain(neverEnded);
      for (const call of open) refuse(answer, call, cutOff, mayRetry);
      leave(answer);
      goOn();
    }, ms);
  };

  /** A server that doesn't say of which answer something is means the last one. */
  const answerOf = (id: string | undefined) => (id === undefined ? present() : answerWith(id));

  const silence = (answer: Answer) => {
    post({ type: 'response.cancel', response_id: answer.id });
    leave(answer);
  };

  /** Takes the first answer after a filler was asked for as that one, if a server returns no metadata. */
  const beginsFiller = (event: ServerEvent): boolean => {
    if (isFillerEvent(event)) echoes = true;
    return (
      isFillerEvent(event) ||
      (!echoes && request?.isFiller === true && !request.answerId && request.turn === turns.current())
    );
  };

  const onCreated = (event: ServerEvent) => {
    const isNewFiller = beginsFiller(event);
    // One at a time: only a filler may be spoken next to another answer.
    for (const before of answers.values())
      if (before.id !== event.response?.id && before.isFiller === isNewFiller) leave(before);
    answers.delete('');
    const answer = answerWith(event.response?.id, isNewFiller);
    if (request) request.answerId ??= answer.id;
    if (answer.isFiller) return callerSpeaks ? silence(answer) : undefined;
    callerSpeaks = false;
    for (const [id, result] of owed) {
      if (!result.isConfirmed) continue;
      owed.delete(id);
      answer.takes.set(id, result);
    }
  };

  /** A look-up needn't wait for the end of the answer; the caller may still interrupt a write. */
  const onItem = ({ response_id, item }: ServerEvent) => {
    const answer = answerOf(response_id);
    if (answer && item?.type === 'message') answer.hasSpoken = true;
    const call = item?.type === 'function_call' && toCall(item);
    if (!answer || !call || seen.has(call.id) || foreign.includes(call.name)) return;
    answer.calls.set(call.id, call);
    const isWhole = call.status === undefined || call.status === 'completed';
    if (isWhole && isRead(call)) void start(answer, call, answer.reads.signal);
    else watch(answer);
  };

  const onDone = (event: ServerEvent) => {
    const { id, status_details } = event.response ?? {};
    const answer = answers.get(id ?? '') ?? createAnswer(id ?? '', turns.current(), false);
    answers.delete(answer.id);
    answer.cancelWatch();
    const asked = request?.answerId === answer.id ? request : undefined;
    if (asked) request = undefined;
    for (const call of callsIn(event)) answer.calls.set(call.id, call);
    const ended = endOf(event.response);
    const isInterrupted = ended === 'interrupted';
    if (isInterrupted) {
      answer.reads.abort();
      for (const [call, { answer: from }] of owed) if (from === answer) owed.delete(call);
    }
    const isFailed = ended === 'failed';
    if (isFailed) report(status_details?.error);
    const isCut = (call: RealtimeCall) => isCutOff(call.status) || ended === 'incomplete';
    const open = openCalls(answer);
    const hasCutCall = !isInterrupted && open.some(isCut);
    const isBroken = !answer.isFiller && (isFailed || hasCutCall);
    if (!answer.isFiller && !isBroken) failures = 0;
    const mayRetry = isBroken && mayAskAgain(status_details?.error);
    for (const call of open) {
      if (isInterrupted) {
        if (!isCut(call)) refuse(answer, call, cancelled, false);
      } else if (isCut(call)) refuse(answer, call, cutOff, mayRetry);
      else if (isFailed) refuse(answer, call, cancelled, mayRetry);
      else void start(answer, call, isRead(call) ? answer.reads.signal : undefined);
    }
    if (!isFailed || answer.isFiller) return goOn();
    if (mayRetry) askAgain(new Map([...answer.takes, ...(asked?.calls ?? [])]));
    goOnLater(retryMs());
  };

  const isRead = ({ name }: RealtimeCall) => toolbox.find(name)?.effect === 'read';

  const report = (error: ApiError = {}) =>
    ignoreErrors(() =>
      onError(new Error(`Realtime: ${error.message ?? 'the model failed to answer'}`, { cause: error })),
    );

  const onRefused = (error: ApiError = {}) => {
    const isOurs = request !== undefined && (error.event_id ?? request.id) === request.id;
    if (request && isOurs && isBusy(error)) {
      // What began meanwhile is what keeps it busy.
      const other = answers.get(request.answerId ?? '');
      if (other) other.isFiller = false;
      askAgain(request.calls);
      request = undefined;
      // An answer that began before this connection isn't known, so its end isn't either.
      goOnLater();
      return;
    }
    // A filler had ended by itself.
    if (error.code === 'response_cancel_not_active') return;
    report(error);
    if (!request || !isOurs || request.answerId) return;
    if (error.event_id) return onLost(request, error);
    // It may be about something else: then the answer begins.
    const asked = request;
    cancelCheck();
    cancelCheck = setTimer(() => {
      if (request === asked && !asked.answerId) onLost(asked, error);
    }, laterMs);
  };

  /** The request was refused. */
  const onLost = ({ calls, isFiller: wasFiller }: Request, error: ApiError) => {
    request = undefined;
    if (wasFiller) return goOn();
    if (mayAskAgain(error)) askAgain(calls);
    goOnLater(retryMs());
  };

  const onSpeech = ({ item_id }: ServerEvent) => {
    turns.count(item_id);
    callerSpeaks = true;
    fillers.hush();
    for (const answer of answers.values()) if (answer.isFiller) silence(answer);
  };

  /** The API begins an answer by itself, unless it's set up otherwise. */
  const onSilence = () => {
    callerSpeaks = false;
    goOnLater();
  };

  /** Without the API's own detection of speech, this is all that says that the caller spoke. */
  const onCommitted = ({ item_id }: ServerEvent) => {
    if (item_id !== undefined) turns.count(item_id);
  };

  const onConfirmed = ({ item }: ServerEvent) => {
    if (item && isByCaller(item)) turns.count(item.id);
    const result = owed.get(item?.call_id ?? '');
    if (item?.type === 'function_call_output' && item.call_id && result)
      owed.set(item.call_id, { ...result, isConfirmed: true });
  };

  /** For servers that send no items. The arguments may be cut off, so the end of the answer decides. */
  const onArguments = (event: ServerEvent) => {
    const answer = answerOf(event.response_id);
    const call = toCall({ ...event, status: undefined });
    if (!call || !answer || answer.calls.has(call.id)) return;
    answer.calls.set(call.id, call);
    watch(answer);
  };

  /** Another conversation: what was said before it is no longer known there. */
  const onSession = () => {
    for (const answer of answers.values()) answer.cancelWatch();
    answers.clear();
    owed.clear();
    request = undefined;
    callerSpeaks = false;
  };

  const handlers: Readonly<Record<string, (event: ServerEvent) => void>> = {
    'session.created': onSession,
    'response.created': onCreated,
    'response.output_item.done': onItem,
    'response.function_call_arguments.done': onArguments,
    'response.done': onDone,
    'conversation.item.added': onConfirmed,
    'conversation.item.created': onConfirmed,
    'input_audio_buffer.speech_started': onSpeech,
    'input_audio_buffer.speech_stopped': onSilence,
    'input_audio_buffer.cleared': onSilence,
    'input_audio_buffer.committed': onCommitted,
    'session.updated': (event) => {
      if (event.session?.tools) foreign = joinTools(toolbox, event.session).others;
    },
    error: ({ error }) => onRefused(error),
  };

  const handle = (sent: unknown) => {
    if (isClosed) return;
    const event = readEvent(sent);
    const answer = event && answers.get(event.response_id ?? event.response?.id ?? '');
    if (answer) answer.lastEventAt = performance.now();
    if (event && Object.hasOwn(handlers, event.type)) handlers[event.type]?.(event);
  };

  const close = () => {
    isClosed = true;
    stop();
    cancelRetry();
    cancelCheck();
    cancelQuiet();
    for (const answer of answers.values()) answer.cancelWatch();
    for (const answer of [...answers.values(), ...fillers.working]) answer.reads.abort();
    fillers.stop();
  };

  const open = () => post({ type: 'session.update', session: { ...session, type: 'realtime', tools } });

  const { post, stop, isOpen } = toConnection(options, { open, handle, close });
  if (isOpen) open();
  return { handle, close };
};

/** The number of times that an answer which failed or was refused is asked for again. */
const mostRetries = 2;

/** Until an answer is over of which no event comes. Audio comes several times a second. */
const quietMs = 15_000;

/** Until an answer that was asked for, and neither began nor was refused, is asked for again. */
const unbegunMs = 30_000;
const neverBegan: ApiError = { message: 'the API did not begin it' };
const neverEnded: ApiError = { message: 'the API did not end it' };

/** Whose end may still come. */
const mostAnswers = 20;

/** Until an answer is asked for that may not be asked for now. */
const laterMs = 500;
