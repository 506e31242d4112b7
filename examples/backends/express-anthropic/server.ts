/**
 * Plain Express with Anthropic, one request for each time the caller speaks: Twilio's `<Gather>` turns speech into text
 * and `<Say>` speaks the answer. `npm run example backends/express-anthropic` plays a phone call against it offline.
 *
 * For production change these lines:
 * - `PUBLIC_URL` is where Twilio reaches this server: `PUBLIC_URL/calls` is the webhook of the phone number and
 *   `PUBLIC_URL/calls/status` its status callback.
 * - `TWILIO_AUTH_TOKEN` is the account's, `ANTHROPIC_API_KEY` the model's; without `ANTHROPIC_BASE_URL` it is Anthropic.
 * - Several machines need to send the requests of one phone call to the same one: what was said is kept here.
 * - `integration.ts`: your systems.
 */
import { createServer } from 'node:http';
import { env } from 'node:process';
import Anthropic from '@anthropic-ai/sdk';
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import * as z from 'zod';
import { greeting } from '../instructions.ts';
import { checked, connect, setting } from '../integration.ts';
import { createLiveCalls, type LiveCall } from '../live-calls.ts';
import { answered, run } from '../run.ts';
import { isSame, twilioSignature } from '../twilio-conversation-relay/twilio-signature.ts';
import { type Conversation, startConversation } from './conversation.ts';
import { listen } from './twiml.ts';

const publicUrl = setting('PUBLIC_URL');
const claude = new Anthropic({ maxRetries: 1 });
const { integration, close } = await checked(connect());
const calls = createLiveCalls(integration, { quietMs: Number(env['QUIET_MS'] ?? 900_000) });
const conversations = new WeakMap<LiveCall, Conversation>();

/** Twilio signs each request: https://www.twilio.com/docs/usage/webhooks/webhooks-security */
const fromTwilio: RequestHandler = (request, response, next) => {
  const expected = twilioSignature(setting('TWILIO_AUTH_TOKEN'), publicUrl + request.originalUrl, formOf(request));
  if (isSame(expected, request.get('x-twilio-signature'))) next();
  else response.sendStatus(403);
};

/** The phone call of a request. Its first one starts it. */
const callOf = (request: Request): LiveCall => {
  const { CallSid = '', From, To, Direction = 'inbound' } = formOf(request);
  // The caller is at the other end, also where this agent has rung.
  return Direction.startsWith('outbound')
    ? calls.of({ callId: CallSid, direction: 'outbound', phone: To })
    : calls.of({ callId: CallSid, direction: 'inbound', phone: From });
};

const formOf = (request: Request) => z.record(z.string(), z.string()).parse(request.body ?? {});

const app = express();
app.use(express.urlencoded({ extended: false }), fromTwilio);

app.post('/calls', (request, response) => {
  // While Twilio greets: the first look-up then finds its connections open, and what the phone call has prefetched.
  void integration.warmUp();
  callOf(request);
  response.type('text/xml').send(listen(greeting));
});

app.post('/calls/turn', async (request, response) => {
  const call = callOf(request);
  const conversation = conversations.get(call) ?? startConversation({ call, claude });
  conversations.set(call, conversation);
  const { SpeechResult: words } = formOf(request);
  // The same on each try of one request.
  const token = request.get('i-twilio-idempotency-token');
  response.type('text/xml').send(listen(words ? await conversation.answer(words, token) : 'I did not hear you.'));
});

app.post('/calls/status', async (request, response) => {
  const { CallStatus = 'completed', CallDuration } = formOf(request);
  const call = callOf(request);
  if (CallDuration) call.tell({ durationSeconds: Number(CallDuration) });
  if (ends.has(CallStatus)) await call.end(CallStatus);
  response.sendStatus(204);
});

/** https://www.twilio.com/docs/voice/api/call-resource#call-status-values */
const ends = new Set(['completed', 'busy', 'failed', 'no-answer', 'canceled']);

/** What the handlers above reject with ends here. The response has nothing of it. */
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  console.error(error);
  response.sendStatus(500);
};
app.use(onError);

const server = createServer(app);

await run(server, async () => {
  await answered(server);
  // Only this process knows what was said.
  await calls.endAll('the agent was stopped');
  await close();
});
