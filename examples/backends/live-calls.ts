/**
 * The phone calls that a platform holds: this process only gets a request for each thing that happens. Each is
 * finished once: by its report, after a while when no report comes, and never a second time when it comes twice.
 */
import type { Integration, PhoneCall, PhoneCallOptions } from 'voice-agent-integrations';

/** What every message of a platform says about its phone call. */
export type CallFacts = Pick<PhoneCallOptions, 'callId' | 'direction' | 'phone'>;

/** What is known of what was said. */
export interface Words {
  readonly summary?: string | undefined;
  /** One line for each time that one of the two speaks, `Caller: …` or `Agent: …`. */
  readonly transcript?: string | undefined;
  readonly durationSeconds?: number | undefined;
}

export interface LiveCall {
  readonly phoneCall: PhoneCall;
  /** Aborts when the line is gone: look-ups stop, since no one waits for them. A payment that was sent goes on. */
  readonly hungUp: AbortSignal;
  /** Keeps the words that it is finished with; later ones win, and what is left out stays. */
  readonly tell: (words: Words) => void;
  /** Leaves conversation, note and task behind, once. Rejects when that cannot be stored: ask again. */
  readonly end: (outcome: string) => Promise<void>;
  /** The line is gone and a report should follow. When none does, it is finished with what is known. */
  readonly endSoon: (outcome: string) => void;
}

export interface LiveCalls {
  /** The phone call of a message. The first one starts it, whichever that is: after a restart it may be any. */
  readonly of: (facts: CallFacts) => LiveCall;
  /** Waits for those that are ending; the others go on, and the next process gets their requests. */
  readonly settle: () => Promise<void>;
  /** Ends all that are going on, where the next process could not go on with them. */
  readonly endAll: (outcome: string) => Promise<void>;
}

export interface LiveCallsOptions {
  /** A phone call without a request for so long has ended, and its end got lost. @defaultValue 900000 */
  readonly quietMs?: number | undefined;
  /** How long a report may take. @defaultValue 60000 */
  readonly reportMs?: number | undefined;
}

export const createLiveCalls = (
  integration: Pick<Integration, 'startPhoneCall'>,
  { quietMs = 900_000, reportMs = 60_000 }: LiveCallsOptions = {},
): LiveCalls => {
  const calls = new Map<string, OneCall>();

  const start = ({ callId, direction, phone }: CallFacts): OneCall => {
    const phoneCall = integration.startPhoneCall({ callId, direction, phone });
    const line = new AbortController();
    let words: Words = {};
    let ended: Promise<void> | undefined;
    let timer: NodeJS.Timeout | undefined;

    const later = (ms: number, act: () => void) => {
      clearTimeout(timer);
      // A silent phone call keeps no process alive.
      timer = setTimeout(act, ms).unref();
    };

    const finish = async (outcome: string) => {
      line.abort();
      await phoneCall.finish({
        outcome,
        summary: summaryOf(words),
        note: `The voice agent took this call. It ended: ${outcome}.`,
        ...words,
      });
      // A message that comes again must find it, and not start it again.
      later(quietMs, () => calls.delete(callId));
    };

    const end = (outcome: string) => {
      ended ??= finish(outcome).catch((error: unknown) => {
        ended = undefined;
        throw error;
      });
      return ended;
    };

    const endAfter = (ms: number, outcome: string) =>
      later(ms, () => {
        end(outcome).catch((error: unknown) => {
          console.error(`${callId} could not be stored`, error);
          endAfter(quietMs, outcome);
        });
      });

    return {
      phoneCall,
      hungUp: line.signal,
      tell: (more) => {
        const known = Object.entries(more).filter(([, value]) => value !== undefined);
        words = { ...words, ...Object.fromEntries(known) };
      },
      end,
      endSoon: (outcome) => {
        line.abort();
        if (!ended) endAfter(reportMs, outcome);
      },
      ended: () => ended,
      stir: () => {
        if (!line.signal.aborted) endAfter(quietMs, 'its end was not reported');
      },
    };
  };

  return {
    of: (facts) => {
      const call = calls.get(facts.callId) ?? start(facts);
      calls.set(facts.callId, call);
      call.stir();
      return call;
    },
    settle: async () => {
      await Promise.allSettled([...calls.values()].map(async ({ ended }) => ended()));
    },
    endAll: async (outcome) => {
      await Promise.allSettled([...calls.values()].map(({ end }) => end(outcome)));
    },
  };
};

interface OneCall extends LiveCall {
  readonly ended: () => Promise<void> | undefined;
  /** A request for it arrived. */
  readonly stir: () => void;
}

/** For phone calls without a summary of the platform's own, or of a model's. */
const summaryOf = ({ transcript }: Words): string => {
  if (transcript === undefined) return 'What was said is not known.';
  const said = /^Caller: (.+)$/m.exec(transcript)?.[1];
  return said === undefined ? 'The caller said nothing.' : `The caller said first: ${said}`;
};
