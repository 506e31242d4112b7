/**
 * Twilio ConversationRelay, with a model behind OpenAI's Chat Completions:
 * `npm run example backends/twilio-conversation-relay` plays a call to it.
 *
 * Twilio turns speech into text and back. Its webhook gets TwiML with the address of a WebSocket, which then carries
 * what the caller says and what is to be said.
 *
 * For production change these lines:
 * - `PUBLIC_URL` is the https address that Twilio calls; the number's webhook is `PUBLIC_URL/voice`, by POST.
 * - `TWILIO_AUTH_TOKEN` is the account's, `OPENAI_API_KEY` the model's; without `OPENAI_BASE_URL` it is OpenAI itself.
 * - `integration.ts`: your systems.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import OpenAI from 'openai';
import { fromEnv } from 'voice-agent-integrations/auth';
import { type WebSocket, WebSocketServer } from 'ws';
import { greeting } from '../instructions.ts';
import { integration } from '../integration.ts';
import { run } from '../run.ts';
import { type Conversation, startConversation } from './conversation.ts';
import { isSame, twilioSignature } from './twilio-signature.ts';

const publicUrl = fromEnv('PUBLIC_URL')();
const relayUrl = `${publicUrl.replace(/^http/, 'ws')}/relay`;
const authToken = fromEnv('TWILIO_AUTH_TOKEN');

const model = new OpenAI({ maxRetries: 1 });
// A WebSocket reports when a line is gone. One that has been open for so long is dead, without an end.
const calls = integration.liveCalls({ quietMs: 4 * 60 * 60_000 });
const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 });

/** The phone rings. */
const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method !== 'POST' || request.url !== '/voice') return void response.writeHead(404).end();
  const body = await textOf(request);
  if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end();
  const form = Object.fromEntries(new URLSearchParams(body));
  const expected = twilioSignature(authToken(), `${publicUrl}/voice`, form);
  if (!isSame(expected, request.headers['x-twilio-signature'])) return void response.writeHead(403).end();

  // While Twilio connects the call: the first look-up then finds its connections open.
  void integration.warmUp();
  response.writeHead(200, { 'content-type': 'text/xml' });
  response.end(
    `<Response><Connect><ConversationRelay url="${relayUrl}" welcomeGreeting="${greeting}" /></Connect></Response>`,
  );
};

/** The limit of a body, since anyone may send one; Twilio's form is a few hundred bytes. */
const textOf = async (request: IncomingMessage, maximumBytes = 64 * 1024): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    // No encoding was set: it reads bytes.
    const piece = chunk as Buffer;
    bytes += piece.length;
    if (bytes > maximumBytes) return undefined;
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString();
};

/** The line is open. */
const talk = (socket: WebSocket): void => {
  let conversation: Conversation | undefined;
  socket.on('message', (data: Buffer) => {
    // The handshake was signed: it is Twilio who sends.
    const message = JSON.parse(data.toString()) as RelayMessage;
    switch (message.type) {
      case 'setup': {
        // The person is at the other end of the line: the one who called, or who was called.
        const isOutbound = message.direction?.startsWith('outbound') ?? false;
        const call = calls.of({
          callId: message.callSid,
          phone: isOutbound ? message.to : message.from,
          direction: isOutbound ? 'outbound' : 'inbound',
        });
        call.signal.addEventListener('abort', () => socket.close(1001));
        const send = (reply: object) => socket.send(JSON.stringify(reply));
        conversation = startConversation({ call, model, send });
        break;
      }
      case 'prompt':
        if (message.last) conversation?.hear(message.voicePrompt);
        break;
      case 'interrupt':
        conversation?.interrupt(message.utteranceUntilInterrupt);
        break;
      case 'error':
        console.error(message.description);
        break;
      case 'dtmf':
        break;
    }
  });
  // A close follows each error, also when the line just broke.
  socket.on('error', console.error);
  socket.on('close', (code) => {
    void conversation?.call.end({ outcome: code === 1000 ? 'caller hung up' : 'connection lost' });
  });
};

/** Whom Twilio connects. */
interface Parties {
  readonly from: string;
  readonly to: string;
}

/** What Twilio sends: https://www.twilio.com/docs/voice/conversationrelay/websocket-messages */
type RelayMessage =
  | ({ readonly type: 'setup'; readonly callSid: string; readonly direction?: string } & Parties)
  | { readonly type: 'prompt'; readonly voicePrompt: string; readonly last: boolean }
  | { readonly type: 'interrupt'; readonly utteranceUntilInterrupt: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  | { readonly type: 'error'; readonly description: string };

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.on('upgrade', (request, socket, head) => {
  // There is no other listener: a stranger who resets the connection would end the process.
  socket.on('error', () => socket.destroy());
  const expected = twilioSignature(authToken(), relayUrl);
  if (request.url === '/relay' && isSame(expected, request.headers['x-twilio-signature']))
    sockets.handleUpgrade(request, socket, head, talk);
  else socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
});

await run(server);
