import { AbortedError, InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, assertSpelled, checkOptions, must, oneOf } from '../core/option-checks.ts';
import { setUnrefTimer, settleWithin, waitAtMost } from '../core/timers.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { CrmSchemas } from '../crm/index.ts';
import type { Report } from '../tools/on-error.ts';
import type { Toolbox } from '../tools/index.ts';
import {
  type FinishWords,
  insideOf,
  type PhoneCallFor,
  type PhoneCallOptions,
  turnNames,
  type TurnOf,
  type TurnOptions,
} from './start-phone-call.ts';
import { type FinishedCall, finishNames } from './steps/finish-call.ts';

/** The state of each phone call, and the times when one ends by itself. */
export interface LiveCallsOptions<State = undefined, Schemas extends CrmSchemas = CrmSchemas> {
  /** Makes what your agent keeps of one phone call, once, when it starts. @defaultValue nothing is kept */
  readonly state?: ((phoneCall: PhoneCallFor<Schemas>) => State) | undefined;
  /** A phone call without a sign of life for so long is ended. @defaultValue 900000, 15 minutes */
  readonly quietMs?: number | undefined;
  /**
   * The way in which `close` treats the calls that go on. `'end'` ends and writes them. `'leave'` forgets them: your
   * platform holds the line, and the next process goes on.
   * @defaultValue 'end'
   */
  readonly atClose?: 'end' | 'leave' | undefined;
}

/** The phone calls that go on, for servers that get one request for each thing that happens. */
export interface LiveCalls<State = undefined> extends LiveCallsOf<State, CrmSchemas> {}

/** The live calls of an integration with these schemas: {@link LiveCalls} where none are declared. */
export type LiveCallsFor<State, Schemas extends CrmSchemas> = string extends keyof Schemas
  ? LiveCalls<State>
  : LiveCallsOf<State, Schemas>;

/** {@link LiveCalls} whose fields of the CRM are declared. */
export interface LiveCallsOf<State, Schemas extends CrmSchemas> extends AsyncDisposable {
  /**
   * Returns the phone call of this id, and starts it the first time. An ended one is returned too: its `turn` rejects, its
   * `end` adds. Stricter `payments` count from then on. Throws `InvalidArgumentError` for looser ones, and for an id that is
   * in use with another number or customer.
   */
  readonly of: (call: PhoneCallOptions<Schemas>) => LiveCallFor<State, Schemas>;
  /** The number of calls that go on. */
  readonly size: number;
  /**
   * Ends every call, and resolves when all are written down or stored; `onError` gets what couldn't be.
   * `integration.close()` calls it.
   */
  close(): Promise<void>;
}

/** A phone call that goes on, one request after the other. */
export interface LiveCall<State = undefined> extends LiveCallOf<State, CrmSchemas> {}

/** A {@link LiveCall}, with the declared fields of the CRM if there are some. */
type LiveCallFor<State, Schemas extends CrmSchemas> = string extends keyof Schemas
  ? LiveCall<State>
  : LiveCallOf<State, Schemas>;

/** A {@link LiveCall} whose fields of the CRM are declared. */
export interface LiveCallOf<State, Schemas extends CrmSchemas> {
  readonly phoneCall: PhoneCallFor<Schemas>;
  /** The phone call's tools, until it ends: look-ups are aborted then, and a tool that is called later is refused. */
  readonly tools: Toolbox;
  /** The state that your `state` made. */
  readonly state: State;
  /** Aborts when the call ends. */
  readonly signal: AbortSignal;
  /**
   * Runs one turn after the turns before it, with one deadline for its tools. A text that `answer` returns is what the
   * agent says. Rejects with what `answer` throws; the next turn runs all the same.
   */
  turn<Answer>(
    options: TurnOptions,
    answer: (turn: LiveTurnFor<State, Schemas>) => Answer | Promise<Answer>,
  ): Promise<Answer>;
  /**
   * Aborts `signal`, waits for the turns, and writes the call down. Asked again, it adds what is new, tries again what
   * failed, and does nothing twice. `afterMs` waits for a later `end`, such as for the platform's report. If it fails,
   * it rejects, and `onError` gets the error too: you needn't wait for it.
   */
  end(
    input?: FinishWords,
    options?: {
      /** The time to wait for a later `end`. @defaultValue 0 */
      readonly afterMs?: number | undefined;
    },
  ): Promise<FinishedCall>;
}

type EndOptions = NonNullable<Parameters<LiveCall['end']>[1]>;

/** One turn of a live call. */
export interface LiveTurn<State = undefined> extends LiveTurnOf<State, CrmSchemas> {}

/** A {@link LiveTurn}, with the declared fields of the CRM if there are some. */
type LiveTurnFor<State, Schemas extends CrmSchemas> = string extends keyof Schemas
  ? LiveTurn<State>
  : LiveTurnOf<State, Schemas>;

/** A {@link LiveTurn} whose fields of the CRM are declared. */
export interface LiveTurnOf<State, Schemas extends CrmSchemas> extends TurnOf<Schemas> {
  readonly phoneCall: PhoneCallFor<Schemas>;
  readonly state: State;
  /** Aborts when the call ends, and with the turn's own `signal`. */
  readonly signal: AbortSignal;
}

/** The parts of an integration that its live calls need. */
export interface LiveCallsParts<Schemas extends CrmSchemas> {
  readonly start: (options: PhoneCallOptions<Schemas>) => PhoneCallFor<Schemas>;
  /** The number of the line in E.164, as a phone call reads it. */
  readonly numberOf: (options: PhoneCallOptions<Schemas>) => string | undefined;
  readonly report: Report;
  readonly onClose?: (() => void) | undefined;
}

/** Keeps the phone calls of one integration while they go on. */
export const createLiveCalls = <State, Schemas extends CrmSchemas>(
  parts: LiveCallsParts<Schemas>,
  options: LiveCallsOptions<State, Schemas> = {},
): LiveCallsOf<State, Schemas> => {
  checkOptions('liveCalls', checksOf(Object(options)));
  const { quietMs = 900_000, atClose = 'end', state } = options;
  const calls = new Map<string, KeptCall<State, Schemas>>();
  let closing: Promise<void> | undefined;

  const closeAll = async (): Promise<void> => {
    await Promise.all([...calls.values()].map((call) => call.close(atClose)));
    calls.clear();
    parts.onClose?.();
  };
  const close = () => (closing ??= closeAll());

  return {
    of: (call) => {
      // A handler of a voice platform passes the body of its request too.
      const { body: _body, ...options }: PhoneCallOptions<Schemas> & { readonly body?: unknown } = Object(call);
      const { callId } = options;
      const known = calls.get(callId);
      if (known) {
        known.meet(options, parts.numberOf(options));
        return known as object as LiveCallFor<State, Schemas>;
      }
      if (closing) throw new InvalidArgumentError('liveCalls', 'is closed: this process takes no more phone calls');
      const phoneCall = parts.start(options);
      const forget = () => {
        if (calls.get(callId) === kept) calls.delete(callId);
      };
      // A state of nothing is `undefined`, as its type says.
      const kept = keepCall({ phoneCall, state: state?.(phoneCall) as State, quietMs, forget, report: parts.report });
      calls.set(callId, kept);
      // Its fields are those of the phone call, whether they're declared or not.
      return kept as object as LiveCallFor<State, Schemas>;
    },
    get size() {
      return [...calls.values()].filter(({ signal }) => !signal.aborted).length;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};

const checksOf = <State, Schemas extends CrmSchemas>(options: LiveCallsOptions<State, Schemas>) => {
  const { quietMs = 1, state, atClose } = options;
  return [
    () => assertKnown<LiveCallsOptions>(options, { state: true, quietMs: true, atClose: true }),
    must(Number.isFinite(quietMs) && quietMs > 0, 'quietMs', 'must be a number of milliseconds above 0'),
    must(state === undefined || typeof state === 'function', 'state', 'must be a function of the phone call'),
    oneOf(atClose, 'atClose', ['end', 'leave']),
  ];
};

interface KeptCall<State, Schemas extends CrmSchemas> extends LiveCallOf<State, Schemas> {
  /** Notes a sign of life, from this number and with these facts. */
  meet(said: PhoneCallOptions, phone: string | undefined): void;
  close(how: 'end' | 'leave'): Promise<void>;
}

interface KeepOptions<State, Schemas extends CrmSchemas> {
  readonly phoneCall: PhoneCallFor<Schemas>;
  readonly state: State;
  readonly quietMs: number;
  readonly forget: () => void;
  readonly report: Report;
}

const keepCall = <State, Schemas extends CrmSchemas>({
  phoneCall,
  state,
  quietMs,
  forget,
  report,
}: KeepOptions<State, Schemas>): KeptCall<State, Schemas> => {
  const { callId } = phoneCall;
  const ended = new AbortController();
  const turns = createTurnQueue();
  let turnsEnd: Promise<void> | undefined;
  const writer = createWriter(phoneCall);
  let waiting: Waiting | undefined;
  let finishing: Promise<unknown> | undefined;
  let triesLeft = triesByItself;
  let cancelQuiet = () => {};

  /** Waits for the turns. One that ignores its signal doesn't keep the call from being written. */
  const endTurns = (reason: string): Promise<void> => {
    ended.abort(new AbortedError(`the phone call ${callId} ${reason}`));
    return (turnsEnd ??= waitAtMost(turns.end(), longestEndMs));
  };

  const finish = async (): Promise<FinishedCall> => {
    rest();
    await endTurns('has ended');
    return writer.write();
  };

  const endOnce: LiveCall<State>['end'] = async (input = {}, options = {}) => {
    const { afterMs = 0 } = checkedEnd(input, options);
    writer.add(input);
    const asked = waiting ?? (waiting = waitFor(finish, () => (waiting = undefined)));
    asked.within(afterMs);
    finishing = asked.result;
    return asked.result;
  };

  const end: LiveCall<State>['end'] = (input, options) => {
    const ended = endOnce(input, options);
    // One that isn't awaited is heard, and doesn't end the process.
    ended.catch((error: unknown) => report(error, { part: 'finish', callId }));
    return ended;
  };

  const isAsked = () => waiting !== undefined || ended.signal.aborted;

  const endByItself = (outcome: string) => end(isAsked() ? {} : { outcome }).catch(() => {});

  /** Begins the time again after which the call ends by itself, or is forgotten. */
  const rest = () => {
    cancelQuiet();
    const isOver = () => {
      if (writer.isDone() || triesLeft === 0) return forget();
      triesLeft -= 1;
      void endByItself('Its end was not reported');
    };
    cancelQuiet = setUnrefTimer(isOver, quietMs);
  };
  rest();

  return {
    phoneCall,
    tools: phoneCall.tools.bind({ signal: ended.signal }),
    state,
    signal: ended.signal,
    turn: async (options, answer) => {
      ended.signal.throwIfAborted();
      rest();
      const { heard, signal: own, ...more } = checkedTurn(options, answer);
      // At once, as they were spoken. They don't answer what a turn before asks, which hasn't been said by then.
      const hear = turns.areGoingOn() ? insideOf(phoneCall)?.overheard : phoneCall.heard;
      if (heard !== undefined) hear?.(heard);
      const signal = own ? AbortSignal.any([ended.signal, own]) : ended.signal;
      const turn = turns.run(signal, async () => {
        // Its fields are those of the phone call, whether they're declared or not.
        const exchange: object = phoneCall.turn({ ...more, signal });
        const answered = await answer({ ...exchange, phoneCall, state, signal } as LiveTurnFor<State, Schemas>);
        if (typeof answered === 'string') phoneCall.said(answered);
        return answered;
      });
      return turn.finally(() => ended.signal.aborted || rest());
    },
    end,
    meet: (said, phone) => {
      if (!ended.signal.aborted) rest();
      takeLate(phoneCall, said, phone);
    },
    close: async (how) => {
      // The next process knows nothing of a call whose end was reported here.
      if (how === 'leave' && !isAsked()) await endTurns('goes on in another process');
      else {
        if (waiting === undefined) await Promise.allSettled([finishing]);
        if (waiting !== undefined || !writer.isDone()) await endByItself('The server stopped');
      }
      cancelQuiet();
    },
  };
};

const checkedTurn = (options: TurnOptions, answer: unknown): TurnOptions => {
  checkOptions(undefined, [
    () => assertKnown<TurnOptions>(options ?? null, turnNames),
    must(typeof answer === 'function', 'answer', 'must be a function of the turn'),
  ]);
  return options;
};

const checkedEnd = (words: FinishWords, options: EndOptions): EndOptions => {
  const { afterMs = 0 }: EndOptions = Object(options);
  checkOptions(undefined, [
    must(typeof words === 'object' && words !== null, 'input', 'must be an object, such as { outcome }'),
    () => assertSpelled(words, finishNames),
    () => assertKnown<EndOptions>(options, { afterMs: true }),
    must(Number.isFinite(afterMs) && afterMs >= 0, 'afterMs', 'must be a number of milliseconds, 0 or more'),
  ]);
  return options;
};

/** Takes what is known late. Throws for the facts or the number of another caller. */
const takeLate = (phoneCall: { readonly callId: string }, said: PhoneCallOptions, phone: string | undefined): void => {
  const inside = insideOf(phoneCall);
  inside?.takeLateFacts(said);
  if (phone === undefined || phone === inside?.takeLateNumber(phone)) return;
  const problem = `is not the number of call ${phoneCall.callId}: another caller has another call id`;
  throw new InvalidArgumentError('phone', problem);
};

/** Writes one phone call down, with the words of every `end`. */
const createWriter = (phoneCall: { finish(words: FinishWords): Promise<FinishedCall> }) => {
  let words: FinishWords = {};
  let taken: FinishWords = {};
  let isDone = false;
  return {
    add: (more: FinishWords) => {
      words = { ...words, ...withoutUndefined(more) };
    },
    write: async (): Promise<FinishedCall> => {
      const asked = words;
      try {
        const finished = await phoneCall.finish(asked);
        isDone = finished.unfinished === undefined;
        taken = asked;
        words = { ...asked, ...words };
        return finished;
      } catch (error) {
        // What was refused once must not keep the call from being written.
        if (error instanceof InvalidArgumentError) words = taken;
        throw error;
      }
    },
    isDone: () => isDone,
  };
};

/** Runs the turns of one phone call in their order. */
const createTurnQueue = () => {
  let last: Promise<unknown> = Promise.resolve();
  let goingOn = 0;
  return {
    run: <Answer>(signal: AbortSignal, work: () => Promise<Answer>): Promise<Answer> => {
      const before = last;
      const run = async () => {
        await settleWithin(before, { signal });
        signal.throwIfAborted();
        return work();
      };
      goingOn += 1;
      const turn = run().finally(() => {
        goingOn -= 1;
      });
      // One that no longer waits doesn't let the next one overtake.
      last = Promise.allSettled([before, turn]);
      return turn;
    },
    areGoingOn: () => goingOn > 0,
    /** Settles when the turns so far have ended. */
    end: () => last,
  };
};

/** A call that can't be written is tried so often before it's forgotten. */
const triesByItself = 8;

/** Turns that were aborted have this long to end. */
const longestEndMs = 5_000;

/** One `finish` for all who ask while it waits. */
interface Waiting {
  readonly result: Promise<FinishedCall>;
  /** Starts it after this time, or earlier if it was to start earlier. */
  within(ms: number): void;
}

const waitFor = (finish: () => Promise<FinishedCall>, onStart: () => void): Waiting => {
  const { promise, resolve } = Promise.withResolvers<FinishedCall>();
  let cancel = () => {};
  let startsAt = Number.POSITIVE_INFINITY;
  const start = () => {
    cancel();
    onStart();
    resolve(finish());
  };
  return {
    result: promise,
    within: (ms) => {
      if (ms <= 0) return start();
      if (Date.now() + ms >= startsAt) return;
      cancel();
      startsAt = Date.now() + ms;
      cancel = setUnrefTimer(start, ms);
    },
  };
};
