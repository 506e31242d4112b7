/** What Vapi sends about a phone call, apart from its tool calls: https://docs.vapi.ai/server-url/events */
import { env } from 'node:process';
import type { FinishInput, LiveCall, LiveCalls, PhoneCallOptions } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import {
  createWebhookReceiver,
  type ReadEnvelope,
  sharedSecret,
  type WebhookReceiver,
} from 'voice-agent-integrations/webhooks';
import * as z from 'zod';

export interface VapiEventsOptions<State> {
  readonly calls: LiveCalls<State>;
  /** Who answers a phone call that comes in. */
  readonly assistant: (call: LiveCall<State>) => object;
}

export const vapiEvents = <State>({ calls, assistant }: VapiEventsOptions<State>): WebhookReceiver =>
  createWebhookReceiver({
    name: 'vapi',
    // What Vapi repeats in the header: https://docs.vapi.ai/server-url/server-authentication. A secret in a header covers
    // no body. What these events cause is written for colleagues; money moves by a tool call alone.
    authentication: [sharedSecret({ header: 'x-vapi-secret', secrets: fromEnv('VAPI_SECRET') })],
    informational: true,
    envelope: readMessage,
    events: { 'assistant-request': message, 'status-update': statusUpdate, 'end-of-call-report': report },
    on: {
      // Vapi waits 7.5 s at most: nothing is looked up here. What the phone call has prefetched, its first tool finds.
      'assistant-request': ({ payload }) => ({
        // It is JSON, or Vapi could not be sent it.
        assistant: assistant(calls.of(factsOf(payload))) as z.core.util.JSONType,
      }),
      'status-update': ({ payload }) => {
        const call = calls.of(factsOf(payload));
        // The report has the last word, and comes a moment later, or never.
        if (payload.status === 'ended') void call.end(wordsOf(payload), { afterMs: reportMs });
      },
      'end-of-call-report': async ({ payload }) => {
        await calls.of(factsOf(payload)).end(wordsOf(payload));
      },
    },
    // Others are for those who ask for them.
    unlistedEvents: 'acknowledge',
    eventId: ({ type, payload }) => {
      // The schema of each event has let it through.
      const { call, status } = payload as Message & { readonly status?: string };
      return `${call.id}:${type}:${status ?? ''}`;
    },
    // A process that comes after this one finds a phone call finished by its id.
    store: createMemoryIdempotencyStore(),
    // The report of a long phone call holds every word twice.
    maximumBodyBytes: 4 * 1024 * 1024,
    onError: console.error,
  });

const reportMs = Number(env['REPORT_MS'] ?? 60_000);

/** Whose phone call a message is about. Chats and calls from a browser have no number. */
export const factsOf = ({ call, customer }: Message): PhoneCallOptions => ({
  callId: call.id,
  direction: call.type === 'outboundPhoneCall' ? 'outbound' : 'inbound',
  phone: call.customer?.number ?? customer?.number,
});

/** In words of ours: Vapi calls the two `AI` and `User`. */
const wordsOf = ({ artifact, endedReason = 'ended', analysis, startedAt, endedAt }: Ended): FinishInput => {
  const lasted = (Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')) / 1000;
  return {
    outcome: endedReason,
    summary: analysis?.summary || undefined,
    transcript:
      artifact?.transcript
        ?.replace(/^AI:/gm, 'Agent:')
        .replace(/^User:/gm, 'Caller:')
        .trim() || undefined,
    durationSeconds: Number.isNaN(lasted) ? undefined : lasted,
  };
};

const customer = z.looseObject({ number: z.string().optional() });

/** What all of Vapi's messages have. */
export const message = z.looseObject({
  call: z.looseObject({ id: z.string(), type: z.string().optional(), customer: customer.optional() }),
  customer: customer.optional(),
  artifact: z.looseObject({ transcript: z.string().optional() }).optional(),
});

export type Message = z.infer<typeof message>;

const report = message.extend({
  endedReason: z.string().optional(),
  analysis: z.looseObject({ summary: z.string().optional() }).optional(),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
});

type Ended = z.infer<typeof report>;

const statusUpdate = report.extend({ status: z.string() });

const body = z.object({ message: z.looseObject({ type: z.string() }) });

const readMessage: ReadEnvelope = (given) => {
  const read = body.safeParse(given);
  return read.success ? { type: read.data.message.type, payload: read.data.message } : undefined;
};
