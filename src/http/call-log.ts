import { IntegrationError, type Outcome } from '../core/errors.ts';
import type { WaitReason } from '../observability/events.ts';
import type { Span } from '../observability/listeners.ts';
import type { Lane } from '../stores/ports/rate-limiter.ts';
import type { IssuedCredential } from './credential.ts';
import type { Deadline, HttpRequest, HttpResponse } from './request.ts';

/** The decisions of the operation and its caller for one call, before anything was sent. */
export interface CallPlan {
  readonly lane: Lane;
  /** The caller's own limit for one attempt. */
  readonly attemptTimeoutMs: number | undefined;
  /** Lets one attempt use all the time that is left. */
  readonly wholeDeadline: boolean;
  readonly isPayment: boolean;
  /** A write whose answer nothing reads. */
  readonly isUnread: boolean;
  /** Nothing is sent with less time left than this. */
  readonly minimumBudgetMs: number;
  /** The API gets the idempotency key. */
  readonly sendsKey: boolean;
  /** Finds out whether an unrepeatable write was done. `undefined`: it was not. */
  readonly lookUp: ((options: { deadline: Deadline; signal: AbortSignal }) => Promise<unknown>) | undefined;
  /** Payments: takes over one that may have been sent when its caller gives up. */
  readonly onReleased: ((end: Promise<HttpResponse>) => void) | undefined;
}

/** The effect of an attempt on the other system. `sent` while there is no answer. */
export type AttemptOutcome = Outcome | 'sent' | 'ok';

/** A wait before a request was sent, and why. */
export interface Wait {
  readonly reason: WaitReason;
  readonly ms: number;
}

/** The facts of one call so far. The layers write it; the error and the event of the call are made of it. */
export interface CallLog {
  readonly plan: CallPlan;
  readonly startedAt: number;
  /** The outcomes of the requests that were handed to the transport. */
  readonly attempts: readonly AttemptOutcome[];
  /** The last failure of an attempt that was sent. */
  readonly lastFailure: IntegrationError | undefined;
  /** The credential of the last attempt. */
  readonly credential: IssuedCredential | undefined;
  /** The status of the last answer. */
  readonly status: number | undefined;
  /**
   * Returns the outcome of the whole call: `unknown` if any attempt, or an earlier call with its key, may have had its
   * effect. Else it's `rejected` if the API refused any, and `not_sent` otherwise.
   */
  outcome(): Outcome;
  /** Something was sent under its key before the attempt that is answered now, and may be done. */
  isRepetition(): boolean;
  /** An earlier call with its key may have done the work. */
  repeats(isRepeated?: boolean): void;
  /** It waited before the coming attempt. */
  waited(wait: Wait): void;
  attemptStarted(span?: Span): AttemptLog;
  /** The API answered; `undefined` takes back what an earlier answer said. */
  answered(status: number | undefined): void;
  /** It waits for another call that does the same write. */
  joined(): void;
  /** Takes over the facts of the call that it waited for. */
  becomes(other: CallLog): void;
  /** Keeps failures back, since another attempt may succeed. The returned function ends the call. */
  mayRetry(): () => Promise<void>;
  /** Counts a failure at the end of the call; at once where no other attempt may follow. */
  countAtEnd(count: () => Promise<void>): Promise<void>;
  /** The API answered: failures before that don't count. */
  madeGood(): void;
}

/** The progress of an attempt. `queued` and `unsent` are for transports that know it; `sent`: a byte may have left. */
export type Stage = 'new' | 'signed' | 'queued' | 'unsent' | 'sent';

/** The facts of one attempt. */
export interface AttemptLog {
  readonly call: CallLog;
  readonly stage: Stage;
  /** It was handed to the transport. */
  readonly isHandedOver: boolean;
  /** The time it was given. */
  readonly timeoutMs: number | undefined;
  /** It waits for a socket that another request of our own has. */
  readonly isInLine: boolean;
  /** The time at which it got a socket that it had to wait for: its time begins there. */
  readonly leftLineAt: number | undefined;
  /** Its waits, in order. */
  readonly waits: readonly Wait[];
  /** Its span in a tracer. */
  readonly span: Span | undefined;
  limitedTo(timeoutMs: number): void;
  waited(wait: Wait): void;
  signed(credential: IssuedCredential): void;
  /** Taken to be sent, unless the transport says otherwise. */
  handedOver(): void;
  /** Notes its progress, for a transport that knows of its sockets and of the first byte. */
  reached(stage: 'queued' | 'unsent' | 'sent'): void;
  /** Notes whether it waits for a socket, for a transport that knows only this. */
  waitsInLine(isInLine: boolean): void;
  succeeded(): void;
  failed(error: unknown): void;
}

/** The log itself may write what others only read. Plain fields: an object with getters costs 20 times as much. */
type Written<T> = { -readonly [Name in keyof T]: T[Name] };

/** `plan` holds what is special about this call. */
export const createCallLog = (plan: Partial<CallPlan> = {}, startedAt = performance.now()): CallLog => {
  let attempts: AttemptOutcome[] = [];
  let nextWaits: Wait[] = [];
  let isRepeated = false;
  let isRetried = false;
  let failures: (() => Promise<void>)[] = [];

  const attemptStarted = (span?: Span): AttemptLog => {
    const waits = nextWaits;
    nextWaits = [];
    let place: number | undefined;
    const record = (outcome: AttemptOutcome) => {
      if (place !== undefined) attempts[place] = outcome;
    };
    const attempt: Written<AttemptLog> = {
      call,
      stage: 'new',
      isHandedOver: false,
      timeoutMs: undefined,
      isInLine: false,
      leftLineAt: undefined,
      waits,
      span,
      limitedTo: (timeoutMs) => {
        attempt.timeoutMs = timeoutMs;
      },
      waited: (wait) => void waits.push(wait),
      signed: (credential) => {
        attempt.stage = 'signed';
        call.credential = credential;
      },
      handedOver: () => {
        attempt.stage = 'sent';
        attempt.isHandedOver = true;
        place = attempts.push('sent') - 1;
      },
      reached: (stage) => {
        attempt.waitsInLine(stage === 'queued');
        attempt.stage = stage;
        record(stage === 'sent' ? 'sent' : 'not_sent');
      },
      waitsInLine: (isInLine) => {
        if (attempt.isInLine && !isInLine) attempt.leftLineAt = performance.now();
        attempt.isInLine = isInLine;
      },
      succeeded: () => record('ok'),
      failed: (error) => {
        if (error instanceof IntegrationError) record(error.outcome);
        else if (attempt.stage === 'sent') record('unknown');
        if (error instanceof IntegrationError && attempt.isHandedOver) call.lastFailure = error;
      },
    };
    return attempt;
  };

  const call: Written<CallLog> = {
    plan: { ...usualPlan, ...plan },
    startedAt,
    attempts,
    lastFailure: undefined,
    credential: undefined,
    status: undefined,
    outcome: () => (isRepeated ? 'unknown' : outcomeOf(call.attempts)),
    isRepetition: () => isRepeated || outcomeOf(call.attempts.slice(0, -1)) === 'unknown',
    repeats: (repeated = true) => {
      isRepeated = repeated;
    },
    waited: (wait) => void nextWaits.push(wait),
    attemptStarted,
    answered: (status) => {
      call.status = status;
    },
    joined: () => void attempts.push('sent'),
    becomes: (other) => {
      attempts = [...other.attempts];
      Object.assign(call, { attempts, status: other.status, lastFailure: other.lastFailure });
    },
    mayRetry: () => {
      isRetried = true;
      return async () => {
        for (const count of failures) await count();
      };
    },
    countAtEnd: async (count) => {
      if (isRetried) failures.push(count);
      else await count();
    },
    madeGood: () => {
      if (failures.length > 0) failures = [];
    },
  };
  return call;
};

const usualPlan: CallPlan = {
  lane: 'live',
  attemptTimeoutMs: undefined,
  wholeDeadline: false,
  isPayment: false,
  isUnread: false,
  minimumBudgetMs: 0,
  sendsKey: true,
  lookUp: undefined,
  onReleased: undefined,
};

/** Returns the outcome of several attempts together. */
export const outcomeOf = (attempts: readonly AttemptOutcome[]): Outcome => {
  if (attempts.some((outcome) => outcome === 'unknown' || outcome === 'sent' || outcome === 'ok')) return 'unknown';
  return attempts.includes('rejected') ? 'rejected' : 'not_sent';
};

/** A copy of a request carries its log with it, and the types of the application don't show it. */
const log = Symbol('log');

interface LoggedRequest extends HttpRequest {
  readonly [log]?: AttemptLog;
}

/** The request, with the log of a call or of an attempt that starts with it. */
export const withLog = (request: HttpRequest, attempt: AttemptLog): HttpRequest => {
  const logged: LoggedRequest = { ...request, [log]: attempt };
  return logged;
};

/** The log of the attempt that a request is part of. A request that the application made has an empty one. */
export const attemptLog = (request: LoggedRequest): AttemptLog => request[log] ?? createCallLog().attemptStarted();

export const callLog = (request: HttpRequest): CallLog => attemptLog(request).call;
