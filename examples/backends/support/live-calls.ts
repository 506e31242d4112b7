import type { FinishInput, Integration, PhoneCall, PhoneCallOptions } from 'voice-agent-integrations';

/** What a platform's message tells of the phone call that it belongs to. */
export type CallFacts = Pick<PhoneCallOptions, 'callId' | 'direction' | 'phone'>;

export interface LiveCallsOptions {
  readonly integration: Pick<Integration, 'startPhoneCall'>;
  /** A phone call of which nothing is heard for so long is over. @defaultValue 900000 */
  readonly idleMs?: number | undefined;
  /** How long a phone call that is over is known, so that it is not begun anew. @defaultValue 3600000 */
  readonly knownMs?: number | undefined;
  /** Hears what went wrong where no message waits for an answer. */
  readonly onError: (error: unknown) => void;
}

/**
 * The phone calls that are going on, for platforms that send a request for each thing that happens and hold no
 * connection. Every phone call ends once: by its report, or, when none comes, because nothing is heard of it any more.
 */
export interface LiveCalls {
  /** The phone call of a message; its first message starts it, also when that is not the one that should be first. */
  of(facts: CallFacts): PhoneCall;
  /** Whether the phone call is known here: it is going on, or was a while ago. */
  has(callId: string): boolean;
  /** It has ended, and its report should come within `reportMs`; when it does not, these words have to do. */
  expectReport(facts: CallFacts, input: FinishInput, reportMs?: number): void;
  /** Writes everything down. Throws when a part could not be written: what asks again tries only that part. */
  finish(facts: CallFacts, input: FinishInput): Promise<void>;
  /**
   * Waits for what is being written. Phone calls that go on are left to the process that hears of them next, or
   * finished with `leftover`, where no other process could go on with them.
   */
  close(leftover?: (callId: string) => FinishInput): Promise<void>;
}

export const createLiveCalls = ({
  integration,
  idleMs = 15 * 60_000,
  knownMs = 60 * 60_000,
  onError,
}: LiveCallsOptions): LiveCalls => {
  const calls = new Map<string, LiveCall>();
  const writing = new Set<Promise<void>>();

  const find = (facts: CallFacts): LiveCall => {
    const known = calls.get(facts.callId);
    if (known) return known;
    const live: LiveCall = { phoneCall: integration.startPhoneCall(facts), isOver: false, timer: undefined };
    calls.set(facts.callId, live);
    return live;
  };

  const after = (live: LiveCall, ms: number, act: () => void) => {
    clearTimeout(live.timer);
    live.timer = setTimeout(act, ms);
    // A phone call that nobody hears of must not keep a process alive.
    live.timer.unref();
  };

  const finish = async (live: LiveCall, input: FinishInput): Promise<void> => {
    live.isOver = true;
    after(live, knownMs, () => calls.delete(live.phoneCall.callId));
    const written = live.phoneCall.finish(input).then(({ complete, queued, steps }) => {
      if (complete || queued) return;
      const failed = steps.filter(({ status }) => status === 'failed').map(({ step }) => step);
      throw new Error(`phone call ${live.phoneCall.callId} is not written yet: ${failed.join(', ')}`);
    });
    writing.add(written);
    await written.finally(() => writing.delete(written));
  };

  const finishAfter = (live: LiveCall, ms: number, input: FinishInput) =>
    after(live, ms, () => void finish(live, input).catch(onError));

  return {
    of: (facts) => {
      const live = find(facts);
      if (!live.isOver) finishAfter(live, idleMs, { outcome: 'unknown', summary: 'The call ended without a report.' });
      return live.phoneCall;
    },
    has: (callId) => calls.has(callId),
    expectReport: (facts, input, reportMs = 60_000) => {
      const live = find(facts);
      if (!live.isOver) finishAfter(live, reportMs, input);
    },
    finish: (facts, input) => finish(find(facts), input),
    close: async (leftover) => {
      for (const live of calls.values()) {
        clearTimeout(live.timer);
        if (leftover && !live.isOver) void finish(live, leftover(live.phoneCall.callId)).catch(onError);
        clearTimeout(live.timer);
      }
      await Promise.allSettled(writing);
    },
  };
};

interface LiveCall {
  readonly phoneCall: PhoneCall;
  isOver: boolean;
  timer: NodeJS.Timeout | undefined;
}
