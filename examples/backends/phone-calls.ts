/**
 * The phone calls that this process holds a line to. Whatever ends one, it is finished once: a goodbye, a line that
 * breaks, or a restart. Platforms without a line, that send a request for each thing that happens, have `live-calls.ts`.
 */
import type { Integration, PhoneCall } from 'voice-agent-integrations';

export interface OpenCall {
  readonly phoneCall: PhoneCall;
  /** Aborts when the line is gone: look-ups stop, since no one waits for them. A payment that was sent goes on. */
  readonly hungUp: AbortSignal;
  /** Adds words to the transcript. Returns a function that corrects them, for example to what was really spoken. */
  readonly hear: (speaker: 'Caller' | 'Agent', words: string) => (words: string) => void;
  /** Leaves conversation, note and task behind. Only the first time counts. Never rejects. */
  readonly end: (outcome: string) => Promise<void>;
}

export interface Ringing {
  /** The platform's own id. */
  readonly callId: string;
  /** The other party, as the platform writes it: a number, a SIP address, or a word such as `anonymous`. */
  readonly from: string | undefined;
  /** @defaultValue 'inbound' */
  readonly direction?: 'inbound' | 'outbound' | undefined;
}

export interface PhoneCalls {
  readonly start: (caller: Ringing) => OpenCall;
  /** Ends all that are going on. */
  readonly endAll: (outcome: string) => Promise<void>;
}

export interface PhoneCallsOptions {
  /** A line that has been open for so long is dead, without an end. @defaultValue 14400000, Twilio's longest call */
  readonly longestMs?: number | undefined;
}

export const createPhoneCalls = (
  integration: Pick<Integration, 'startPhoneCall'>,
  { longestMs = 14_400_000 }: PhoneCallsOptions = {},
): PhoneCalls => {
  const open = new Set<OpenCall>();

  const start: PhoneCalls['start'] = ({ callId, from, direction = 'inbound' }) => {
    const phoneCall = integration.startPhoneCall({ callId, phone: from, direction });
    const line = new AbortController();
    const transcript: { readonly speaker: string; words: string }[] = [];
    let ended: Promise<void> | undefined;

    const finish = async (outcome: string) => {
      clearTimeout(longest);
      line.abort();
      const dialogue = transcript.filter(({ words }) => words !== '');
      const asked = dialogue.find(({ speaker }) => speaker === 'Caller')?.words;
      await phoneCall.finish({
        outcome,
        // Where a summary matters, have the model write it: it knows the whole conversation.
        summary: asked === undefined ? 'The caller said nothing.' : `The caller said first: ${asked}`,
        note: `The voice agent took this call. It ended: ${outcome}.`,
        transcript: dialogue.map(({ speaker, words }) => `${speaker}: ${words}`).join('\n'),
      });
      open.delete(call);
    };

    const call: OpenCall = {
      phoneCall,
      hungUp: line.signal,
      hear: (speaker, words) => {
        const entry = { speaker, words };
        transcript.push(entry);
        return (corrected) => void (entry.words = corrected);
      },
      end: (outcome) => {
        ended ??= finish(outcome).catch((error: unknown) => {
          // It is tried again when the server stops; the keys of what is written are those of the phone call.
          console.error(`${callId} could not be stored`, error);
          ended = undefined;
        });
        return ended;
      },
    };
    open.add(call);
    // It keeps no process alive.
    const longest = setTimeout(() => void call.end('its end was not noticed'), longestMs).unref();
    return call;
  };

  return {
    start,
    endAll: async (outcome) => {
      await Promise.all([...open].map(({ end }) => end(outcome)));
    },
  };
};
