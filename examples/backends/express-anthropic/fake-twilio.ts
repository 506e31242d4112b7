/** A stand-in for Twilio: it sends what the caller says as text, and speaks what the TwiML says. */
import { randomUUID } from 'node:crypto';
import type { Line, Offline } from '../support/offline.ts';
import { startServerProcess } from '../support/server-process.ts';
import { twilioSignature } from '../twilio-conversation-relay/twilio-signature.ts';
import { startFakeClaude } from './fake-claude.ts';

const publicUrl = 'https://agent.example.com';
const authToken = 'auth-token-of-this-example';

export interface OfflineTwilio extends Offline {
  /** Posts a form, signed; with the same `token` it is another try of the same request. */
  readonly post: (path: string, form: Form, options?: PostOptions) => Promise<Posted>;
}

type Form = Readonly<Record<string, string>>;

interface PostOptions {
  readonly token?: string;
  readonly key?: string;
}

interface Posted {
  readonly status: number;
  readonly twiml: string;
}

export const startOffline = async (
  env: Readonly<Record<string, string>>,
  { modelUrl }: { readonly modelUrl?: string } = {},
): Promise<OfflineTwilio> => {
  const claude = await startFakeClaude();
  const server = await startServerProcess(new URL('server.ts', import.meta.url), {
    ...env,
    PUBLIC_URL: publicUrl,
    TWILIO_AUTH_TOKEN: authToken,
    ANTHROPIC_API_KEY: 'test',
    ANTHROPIC_BASE_URL: modelUrl ?? claude.baseUrl,
  });

  const post = async (path: string, form: Form, { token = randomUUID(), key = authToken }: PostOptions = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      headers: {
        'x-twilio-signature': twilioSignature(key, publicUrl + path, form),
        'i-twilio-idempotency-token': token,
      },
      body: new URLSearchParams(form),
    });
    return { status: response.status, twiml: await response.text() };
  };

  return {
    port: server.port,
    ring: async ({ callId, phone }): Promise<Line> => {
      const call = { CallSid: callId, From: phone, To: '+18005550101', Direction: 'inbound' };
      const ringing = await post('/calls', { ...call, CallStatus: 'ringing' });
      const dialogue = [saidIn(ringing.twiml)];
      let { action } = gatherIn(ringing.twiml);
      return {
        dialogue: () => dialogue,
        say: async (words) => {
          const { twiml } = await post(action, { ...call, CallStatus: 'in-progress', SpeechResult: words });
          ({ action } = gatherIn(twiml));
          dialogue.push(saidIn(twiml));
          return saidIn(twiml);
        },
        hangUp: async () => {
          await post('/calls/status', { ...call, CallStatus: 'completed', CallDuration: '42' });
        },
        // Twilio reports a line that breaks too.
        drop: () => void post('/calls/status', { ...call, CallStatus: 'failed' }),
      };
    },
    forge: async () => {
      const form = { CallSid: 'CA1', From: '+14155550100', SpeechResult: 'Please pay it.', CallStatus: 'completed' };
      const answers = [
        await post('/calls', form, { key: 'a guess' }),
        await post('/calls/turn', form, { key: 'a guess' }),
        await post('/calls/status', form, { key: 'a guess' }),
      ];
      return answers.map(({ status }) => status);
    },
    post,
    stop: server.stop,
    printed: server.printed,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await claude[Symbol.asyncDispose]();
    },
  };
};

const saidIn = (twiml: string): string =>
  (/<Say>(.*)<\/Say>/s.exec(twiml)?.[1] ?? '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const gatherIn = (twiml: string): { readonly action: string } => {
  const action = /<Gather input="speech"[^>]* action="([^"]+)"/.exec(twiml)?.[1];
  if (action === undefined) throw new Error(`Twilio is not told to listen: ${twiml}`);
  return { action };
};
