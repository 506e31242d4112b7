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
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { env } from 'node:process';
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import type { LiveCall } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import * as z from 'zod';
import { greeting } from '../instructions.ts';
import { integration } from '../integration.ts';
import { run } from '../run.ts';
import { isSame, twilioSignature } from '../twilio-conversation-relay/twilio-signature.ts';
import { answer, type Conversation } from './conversation.ts';
import { listen } from './twiml.ts';

const publicUrl = fromEnv('PUBLIC_URL')();
const authToken = fromEnv('TWILIO_AUTH_TOKEN');

const calls = integration.liveCalls({
  quietMs: Number(env['QUIET_MS'] ?? 900_000),
  state: ({ said }): Conversation => {
    said(greeting);
    return { messages: [], answers: new Map() };
  },
});

/** Twilio signs each request: https://www.twilio.com/docs/usage/webhooks/webhooks-security */
const fromTwilio: RequestHandler = (request, response, next) => {
  const expected = twilioSignature(authToken(), publicUrl + request.originalUrl, formOf(request));
  if (isSame(expected, request.get('x-twilio-signature'))) next();
  else response.sendStatus(403);
};

/** The phone call of a request. Its first one starts it. */
const callOf = (request: Request): LiveCall<Conversation> => {
  const { CallSid = '', From, To, Direction = 'inbound' } = formOf(request);
  // The caller is at the other end, also where this agent has rung.
  return Direction.startsWith('outbound')
    ? calls.of({ callId: CallSid, direction: 'outbound', phone: To })
    : calls.of({ callId: CallSid, phone: From });
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
  const { SpeechResult: words } = formOf(request);
  if (!words) return void response.type('text/xml').send(listen('I did not hear you.'));
  // The same on each try of one request, which gets the same answer.
  const token = request.get('i-twilio-idempotency-token') ?? randomUUID();
  const { answers } = call.state;
  const answered = answers.get(token) ?? call.turn({ heard: words }, (turn) => answer(words, turn));
  answers.set(token, answered);
  response.type('text/xml').send(listen(await answered));
});

app.post('/calls/status', async (request, response) => {
  const { CallStatus = 'completed', CallDuration } = formOf(request);
  const durationSeconds = CallDuration ? Number(CallDuration) : undefined;
  const call = callOf(request);
  if (ends.has(CallStatus)) await call.end({ outcome: CallStatus, durationSeconds });
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

await run(createServer(app));
