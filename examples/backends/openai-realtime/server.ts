/**
 * OpenAI Realtime over SIP: `npm run example backends/openai-realtime` plays a call to it.
 *
 * The telephone company sends the call to OpenAI, where the model listens and speaks. OpenAI announces it by a webhook;
 * the server accepts it with the tools, and does what the model asks for over a WebSocket.
 *
 * For production change these lines:
 * - the SIP trunk leads to OpenAI, and the project's webhook for `realtime.call.incoming` to this server, over https:
 *   https://developers.openai.com/api/docs/guides/realtime-sip
 * - `OPENAI_WEBHOOK_SECRET` and `OPENAI_API_KEY` are the project's; without `OPENAI_BASE_URL` it is OpenAI itself.
 * - `createMemoryIdempotencyStore` becomes one that all machines share, where there are several.
 * - `integration.ts`: your systems.
 */
import { createServer } from 'node:http';
import { env } from 'node:process';
import OpenAI from 'openai';
import { fromEnv } from 'voice-agent-integrations/auth';
import { realtime } from 'voice-agent-integrations/tools/openai';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { createWebhookReceiver, hmac, readDataEnvelope, standardWebhooks } from 'voice-agent-integrations/webhooks';
import { webhook } from 'voice-agent-integrations/webhooks/node';
import * as z from 'zod';
import { instructions } from '../instructions.ts';
import { integration } from '../integration.ts';
import { run } from '../run.ts';
import { openLine } from './line.ts';

// A telephone rings: the package's own limit is ten minutes.
const openai = new OpenAI({ timeout: 5_000 });
// A WebSocket reports when a line is gone. One that has been open for so long is dead, without an end.
const calls = integration.liveCalls({ quietMs: 4 * 60 * 60_000 });

const incomingCall = z.object({
  call_id: z.string(),
  sip_headers: z.array(z.object({ name: z.string(), value: z.string() })),
});

/** The phone rings. */
const answer = async ({ call_id: callId, sip_headers }: z.infer<typeof incomingCall>): Promise<void> => {
  // The first look-up then finds its connections open.
  void integration.warmUp();
  const phone = sip_headers.find(({ name }) => name.toLowerCase() === 'from')?.value;
  const call = calls.of({ callId, phone });
  try {
    await openai.realtime.calls.accept(callId, {
      type: 'realtime',
      model: env['OPENAI_REALTIME_MODEL'] ?? 'gpt-realtime',
      instructions,
      tools: realtime.tools(call),
      // The model gets the audio itself; the words are for the transcript.
      audio: { input: { transcription: { model: 'gpt-4o-mini-transcribe' } } },
    });
    openLine(openai, call);
  } catch (error) {
    // The package has tried it three times. An announcement that comes again would find the call finished, so it is over:
    // the caller must not go on ringing, or speak with a model that was accepted and whose tools do nothing.
    console.error(error);
    openai.realtime.calls.hangup(callId).catch(() => undefined);
    await call.end({ outcome: 'could not be answered' });
  }
};

const receive = createWebhookReceiver({
  authentication: [hmac({ secrets: fromEnv('OPENAI_WEBHOOK_SECRET'), scheme: standardWebhooks })],
  envelope: readDataEnvelope,
  events: { 'realtime.call.incoming': incomingCall },
  unlistedEvents: 'acknowledge',
  on: { 'realtime.call.incoming': ({ payload }) => answer(payload) },
  // OpenAI delivers again when an answer was late: a phone call is accepted once.
  store: createMemoryIdempotencyStore(),
  onError: console.error,
});

await run(createServer(webhook(receive, { onError: console.error })));
