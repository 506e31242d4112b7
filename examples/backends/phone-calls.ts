/** The phone calls that are going on. Whatever ends one, it is finished once: the line, the platform, or a restart. */
import type { Integration, PhoneCall } from 'voice-agent-integrations';

export interface LiveCall {
  readonly phoneCall: PhoneCall;
  /** Aborts when the phone call has ended: nobody waits for a look-up any more. A payment that was sent goes on. */
  readonly hungUp: AbortSignal;
  /** Takes words down for the transcript. */
  readonly hear: (speaker: 'Caller' | 'Agent', words: string) => void;
  /** Leaves conversation, note and task behind. Only the first time counts. Never rejects. */
  readonly end: (outcome: string) => Promise<void>;
}

export interface LiveCalls {
  /** The phone rings. The same id gives the same phone call, also for a while after its end. */
  readonly ring: (caller: { readonly callId: string; readonly phone?: string | undefined }) => LiveCall;
  /** Ends all that are going on. */
  readonly endAll: (outcome: string) => Promise<void>;
}

export interface LiveCallsOptions {
  /** Ends a phone call of which nothing has been heard for so long: its end got lost. @defaultValue 15 minutes */
  readonly quietMs?: number;
}

export const createLiveCalls = (integration: Integration, { quietMs = 900_000 }: LiveCallsOptions = {}): LiveCalls => {
  const calls = new Map<string, LiveCall & { readonly stir: () => void }>();

  const start = (callId: string, phone: string | undefined) => {
    // The first look-up then finds its connections open.
    void integration.warmUp();
    const phoneCall = integration.startPhoneCall({ callId, phone, direction: 'Inbound' });
    const line = new AbortController();
    const transcript: { readonly speaker: string; readonly words: string }[] = [];
    let ended: Promise<void> | undefined;

    const finish = async (outcome: string) => {
      line.abort();
      const asked = transcript.find(({ speaker }) => speaker === 'Caller')?.words;
      await phoneCall.finish({
        outcome,
        // Where a summary matters, have the model write it: it has the whole conversation.
        summary: asked === undefined ? 'The caller said nothing.' : `The caller asked: ${asked}`,
        note: `The voice agent took this call. It ended: ${outcome}.`,
        transcript: transcript.map(({ speaker, words }) => `${speaker}: ${words}`).join('\n'),
      });
    };

    const end = (outcome: string) => {
      ended ??= finish(outcome).catch((error: unknown) => {
        console.error(`${callId} could not be stored`, error);
        // A later end may succeed: the keys of what is written are those of the phone call.
        ended = undefined;
      });
      return ended;
    };

    const quiet = setTimeout(() => {
      // Once more quiet after its end, nobody asks for it again.
      if (ended) calls.delete(callId);
      else void end('connection lost').then(() => quiet.refresh());
    }, quietMs).unref();

    return {
      phoneCall,
      hungUp: line.signal,
      hear: (speaker: string, words: string) => {
        quiet.refresh();
        transcript.push({ speaker, words });
      },
      end,
      stir: () => void quiet.refresh(),
    };
  };

  return {
    ring: ({ callId, phone }) => {
      const call = calls.get(callId) ?? start(callId, phone);
      calls.set(callId, call);
      call.stir();
      return call;
    },
    endAll: async (outcome) => {
      await Promise.all([...calls.values()].map(({ end }) => end(outcome)));
    },
  };
};
