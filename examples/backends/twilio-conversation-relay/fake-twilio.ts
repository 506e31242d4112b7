import { once } from 'node:events';
import { WebSocket } from 'ws';
import { startFakeChatModel } from '../support/fake-chat-model.ts';
import type { Line, Offline } from '../support/offline.ts';
import { startServerProcess } from '../support/server-process.ts';
import { twilioSignature } from './twilio-signature.ts';

const publicUrl = 'https://voice.acme.example';
const authToken = 'auth-token-of-this-example';

/** A line of ConversationRelay, whose caller can talk over an answer. */
export interface RelayLine extends Line {
  /** Says something and listens to the first word of the answer. */
  readonly begin: (words: string) => Promise<string>;
  /** Begins to speak when this much of the answer has been spoken. */
  readonly interrupt: (dialogue: string) => void;
}

export interface OfflineTwilio extends Offline {
  readonly port: number;
  readonly ring: (caller: { readonly callId: string; readonly phone: string }) => Promise<RelayLine>;
}

/** The server, and Twilio with a caller in front of it. */
export const startOffline = async (env: Readonly<Record<string, string>>): Promise<OfflineTwilio> => {
  const model = await startFakeChatModel();
  const server = await startServerProcess(new URL('./server.ts', import.meta.url), {
    ...env,
    PUBLIC_URL: publicUrl,
    TWILIO_AUTH_TOKEN: authToken,
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: model.baseUrl,
  });

  /** The webhook of the phone number; a proxy in front of the server has the public address. */
  const postVoice = (form: Record<string, string>, signature: string) =>
    fetch(`http://127.0.0.1:${server.port}/voice`, {
      method: 'POST',
      headers: { 'x-twilio-signature': signature },
      body: new URLSearchParams(form),
    });
  const openRelay = (url: string, signature: string) =>
    new WebSocket(url.replace(/^wss:\/\/[^/]+/, `ws://127.0.0.1:${server.port}`), {
      headers: { 'x-twilio-signature': signature },
    });

  return {
    ring: async ({ callId, phone }) => {
      const form = { CallSid: callId, From: phone, To: '+18005550101', Direction: 'inbound', CallStatus: 'ringing' };
      const response = await postVoice(form, twilioSignature(authToken, `${publicUrl}/voice`, form));
      const [, relayUrl = '', welcome = ''] =
        / url="([^"]+)" welcomeGreeting="([^"]+)"/.exec(await response.text()) ?? [];
      const socket = openRelay(relayUrl, twilioSignature(authToken, relayUrl));
      await once(socket, 'open');
      return talk(socket, { callId, phone, welcome });
    },
    forge: async () => {
      const form = { CallSid: 'CA666', From: '+14155550199' };
      const voice = await postVoice(form, twilioSignature('a guess', `${publicUrl}/voice`, form));
      const relay = openRelay(`${publicUrl.replace('https', 'wss')}/relay`, 'a guess');
      relay.on('error', () => undefined);
      const [, refusal] = (await once(relay, 'unexpected-response')) as [unknown, { readonly statusCode: number }];
      relay.terminate();
      return [voice.status, refusal.statusCode];
    },
    port: server.port,
    stop: server.stop,
    printed: server.printed,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
};

/** Twilio's end of the WebSocket, and the caller's ear behind it. */
const talk = (
  socket: WebSocket,
  { callId, phone, welcome }: { readonly callId: string; readonly phone: string; readonly welcome: string },
): RelayLine => {
  const dialogue = [welcome];
  let spoken = '';
  let [onToken, onAnswer]: ((words: string) => void)[] = [];
  const send = (message: object) => socket.send(JSON.stringify(message));
  socket.on('message', (data: Buffer) => {
    // What the server sends is text for the caller.
    const { token, last } = JSON.parse(data.toString()) as { readonly token: string; readonly last: boolean };
    spoken += token;
    onToken?.(spoken);
    if (!last) return;
    dialogue.push(spoken);
    onAnswer?.(spoken);
    spoken = '';
  });
  const prompt = (words: string) => send({ type: 'prompt', voicePrompt: words, lang: 'en-US', last: true });

  send({
    type: 'setup',
    sessionId: 'VX1',
    callSid: callId,
    from: phone,
    to: '+18005550101',
    direction: 'inbound',
    customParameters: {},
  });
  return {
    dialogue: () => dialogue,
    say: async (words) => {
      const answer = new Promise<string>((resolve) => (onAnswer = resolve));
      prompt(words);
      return answer;
    },
    begin: async (words) => {
      const first = new Promise<string>((resolve) => (onToken = resolve));
      prompt(words);
      return first;
    },
    interrupt: (utteranceUntilInterrupt) => {
      send({ type: 'interrupt', utteranceUntilInterrupt, durationUntilInterruptMs: 460 });
      spoken = '';
    },
    hangUp: async () => {
      socket.close(1000);
      await once(socket, 'close');
    },
    drop: () => socket.terminate(),
  };
};
