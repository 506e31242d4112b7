import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { sign, standardWebhooks } from 'voice-agent-integrations/webhooks';
import { type WebSocket, WebSocketServer } from 'ws';
import { greeting } from '../instructions.ts';
import type { Line, Offline } from '../support/offline.ts';
import { type DialogueEntry, nextStep } from '../support/scripted-model.ts';
import { startServerProcess } from '../support/server-process.ts';

const secret = `whsec_${Buffer.from('webhook-secret-of-this-example').toString('base64')}`;

/** A line on which the caller can speak while a tool runs. */
export interface RealtimeLine extends Line {
  readonly sayAtOnce: (first: string, second: string) => Promise<readonly string[]>;
}

export interface OfflineOpenAI extends Offline {
  readonly ring: (caller: { readonly callId: string; readonly phone: string }) => Promise<RealtimeLine>;
  /** Delivers the webhook of a phone call and does not wait for the line. Resolves with the status. */
  readonly announce: (caller: { readonly callId: string; readonly phone: string }) => Promise<number>;
  /** Has so many requests to the REST API fail. */
  readonly refuse: (times: number) => void;
  /** Answers no WebSocket from now on, and refuses none. */
  readonly holdLines: () => void;
  /** What was asked of the REST API, such as `accept rtc_1`. */
  readonly asked: () => readonly string[];
  /** The names of the tools with which the last phone call was accepted. */
  readonly tools: () => readonly string[];
}

/** The server, and OpenAI in front of it: the webhook, the REST API of calls, and the WebSocket with the model behind it. */
export const startOffline = async (env: Readonly<Record<string, string>>): Promise<OfflineOpenAI> => {
  const asked: string[] = [];
  let tools: readonly string[] = [];
  let refusals = 0;
  const take = async (request: IncomingMessage) => {
    const [, callId = '', action = ''] = /^\/v1\/realtime\/calls\/([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    asked.push(`${action} ${callId}`);
    if (action !== 'accept') return;
    // As its package writes it.
    const session = (await json(request)) as { readonly tools: readonly { readonly name: string }[] };
    tools = session.tools.map(({ name }) => name);
  };
  const api = createServer((request, response) => {
    void take(request).then(() => response.writeHead((refusals -= 1) >= 0 ? 500 : 200).end());
  }).listen(0, '127.0.0.1');
  let isHeld = false;
  const held = new Set<Socket>();
  const sockets = new WebSocketServer({
    server: api,
    path: '/v1/realtime',
    verifyClient: ({ req }, take) => {
      if (isHeld) held.add(req.socket);
      else take(true);
    },
  });
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;

  const server = await startServerProcess(new URL('./server.ts', import.meta.url), {
    ...env,
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_WEBHOOK_SECRET: secret,
  });

  const announce = async (callId: string, phone: string, signedWith = secret): Promise<number> => {
    const sip_headers = [
      // A caller may write any name in front of the address.
      { name: 'From', value: `"+14155550199" <sip:${phone}@trunk.example>` },
      { name: 'To', value: '<sip:+18005550101@sip.example>' },
    ];
    const event = { object: 'event', id: `evt_${callId}`, type: 'realtime.call.incoming', created_at: now() };
    const body = JSON.stringify({ ...event, data: { call_id: callId, sip_headers } });
    const signature = await sign(body, { secrets: () => signedWith, scheme: standardWebhooks, id: `wh_${callId}` });
    const headers = { 'content-type': 'application/json', ...signature };
    const address = `http://127.0.0.1:${server.port}/webhook`;
    return (await fetch(address, { method: 'POST', body, headers })).status;
  };

  return {
    ring: async ({ callId, phone }) => {
      const connected = once(sockets, 'connection');
      const status = await announce(callId, phone);
      if (status >= 300) throw new Error(`the webhook was answered with ${status}:\n${server.printed()}`);
      const [socket] = (await connected) as [WebSocket];
      return talk(socket);
    },
    forge: async () => [
      await announce('rtc_666', '+14155550199', `whsec_${Buffer.from('a guess').toString('base64')}`),
    ],
    announce: ({ callId, phone }) => announce(callId, phone),
    asked: () => asked,
    refuse: (times) => (refusals = times),
    holdLines: () => void (isHeld = true),
    tools: () => tools,
    stop: server.stop,
    printed: server.printed,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      for (const client of sockets.clients) client.terminate();
      for (const socket of held) socket.destroy();
      api.closeAllConnections();
      await new Promise((resolve) => api.close(resolve));
    },
  };
};

const now = () => Math.floor(Date.now() / 1000);

type Message = Readonly<Record<string, unknown>>;

/** The model's end of the WebSocket, and the caller's ear behind it. */
const talk = async (socket: WebSocket): Promise<RealtimeLine> => {
  const dialogue: DialogueEntry[] = [];
  const spoken: string[] = [];
  const waiting: Message[] = [];
  let wake = () => {};
  let events = 0;
  socket.on('message', (data: Buffer) => {
    waiting.push(JSON.parse(data.toString()) as Message);
    wake();
  });
  const receive = async (type: string): Promise<Message> => {
    for (;;) {
      const index = waiting.findIndex((message) => message['type'] === type);
      const [found] = index < 0 ? [] : waiting.splice(index, 1);
      if (found) return found;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const send = (message: object) => socket.send(JSON.stringify({ event_id: `event_${(events += 1)}`, ...message }));

  /** OpenAI notices the end of a sentence, and has its words a little later. */
  const listen = (words: string) => {
    const item_id = `item_${(events += 1)}`;
    send({ type: 'input_audio_buffer.committed', item_id, previous_item_id: null });
    dialogue.push({ caller: words });
    return () => {
      const transcribed = 'conversation.item.input_audio_transcription.completed';
      send({ type: transcribed, item_id, content_index: 0, transcript: words });
    };
  };

  const begin = () => {
    const response = { id: `resp_${(events += 1)}`, object: 'realtime.response', output: [] };
    send({ type: 'response.created', response: { ...response, status: 'in_progress' } });
    return response;
  };
  const speak = (transcript: string) => {
    const response = begin();
    const place = { response_id: response.id, item_id: 'item', output_index: 0, content_index: 0 };
    send({ type: 'response.output_audio_transcript.done', ...place, transcript });
    send({ type: 'response.done', response: { ...response, status: 'completed' } });
    dialogue.push({ agent: transcript });
    spoken.push(transcript);
    return transcript;
  };
  const call = (calls: readonly { readonly id: string; readonly name: string; readonly args: object }[]) => {
    const output = calls.map(({ id, name, args }) => ({
      type: 'function_call',
      id: `item_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(args),
      status: 'completed',
    }));
    send({ type: 'response.done', response: { ...begin(), status: 'completed', output } });
  };
  const readResults = async (count: number) => {
    for (let read = 0; read < count; read += 1) {
      const { item } = await receive('conversation.item.create');
      dialogue.push({ result: String((item as { readonly output?: unknown }).output) });
    }
  };

  const answer = async (): Promise<string> => {
    for (;;) {
      const step = nextStep(dialogue);
      if ('says' in step) return speak(step.says);
      call(step.calls);
      await readResults(step.calls.length);
      await receive('response.create');
    }
  };

  await receive('response.create');
  speak(greeting);
  return {
    dialogue: () => spoken,
    say: async (words) => {
      const transcribe = listen(words);
      const answered = await answer();
      transcribe();
      return answered;
    },
    sayAtOnce: async (first, second) => {
      listen(first)();
      const step = nextStep(dialogue);
      if (!('calls' in step)) throw new Error('the first sentence should have the model call a tool');
      call(step.calls);
      // The caller goes on, and the model answers that while the tool runs.
      const response = begin();
      await readResults(step.calls.length);
      const askedTooEarly = waiting.some(({ type }) => type === 'response.create');
      send({ type: 'response.done', response: { ...response, status: 'completed' } });
      await receive('response.create');
      listen(second)();
      return [askedTooEarly ? 'refused' : 'waited', await answer()];
    },
    hangUp: async () => {
      socket.close(1000);
      await once(socket, 'close');
    },
    drop: () => socket.terminate(),
  };
};
