/** What Vapi sends about a phone call, apart from its tool calls: https://docs.vapi.ai/server-url/events */
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import {
  createWebhookReceiver,
  type ReadEnvelope,
  sharedSecret,
  type WebhookReceiver,
} from 'voice-agent-integrations/webhooks';
import * as z from 'zod';
import type { CallFacts, LiveCall, LiveCalls } from './live-calls.ts';

export interface VapiEventsOptions {
  readonly calls: LiveCalls;
  /** What Vapi repeats in `x-vapi-secret`: https://docs.vapi.ai/server-url/server-authentication */
  readonly secret: () => string;
  /** Who answers a phone call that comes in. */
  readonly assistant: (call: LiveCall) => object;
}

export const vapiEvents = ({ calls, secret, assistant }: VapiEventsOptions): WebhookReceiver => {
  /** Every message carries the conversation so far; the report has the last word. */
  const hear = (message: Message): LiveCall => {
    const call = calls.of(factsOf(message));
    call.tell({ transcript: transcriptOf(message) });
    return call;
  };

  return createWebhookReceiver({
    name: 'vapi',
    // A secret in a header covers no body. What these events cause is written for colleagues; money moves by a tool
    // call alone. Vapi's HMAC credentials, checked with `hmac`, cover the body too.
    authentication: [sharedSecret({ header: 'x-vapi-secret', secrets: secret })],
    informational: true,
    envelope: readMessage,
    events: { 'assistant-request': message, 'status-update': statusUpdate, 'end-of-call-report': report },
    on: {
      // Vapi waits 7.5 s at most: nothing is looked up here. What the phone call has prefetched, its first tool finds.
      'assistant-request': ({ payload }) => ({
        // It is JSON, or Vapi could not be sent it.
        assistant: assistant(hear(payload)) as z.core.util.JSONType,
      }),
      'status-update': ({ payload }) => {
        const call = hear(payload);
        if (payload.status === 'ended') call.endSoon(payload.endedReason ?? 'ended');
      },
      'end-of-call-report': async ({ payload }) => {
        const { endedReason = 'ended', analysis, startedAt, endedAt } = payload;
        const call = hear(payload);
        const lasted = (Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')) / 1000;
        call.tell({
          summary: analysis?.summary || undefined,
          durationSeconds: Number.isNaN(lasted) ? undefined : lasted,
        });
        await call.end(endedReason);
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
};

/** Whose phone call a message is about. Chats and calls from a browser have no number. */
export const factsOf = ({ call, customer }: Message): CallFacts => ({
  callId: call.id,
  direction: call.type === 'outboundPhoneCall' ? 'Outbound' : 'Inbound',
  phone: call.customer?.number ?? customer?.number,
});

/** In words of ours: Vapi calls the two `AI` and `User`. */
export const transcriptOf = ({ artifact }: Message): string | undefined =>
  artifact?.transcript
    ?.replace(/^AI:/gm, 'Agent:')
    .replace(/^User:/gm, 'Caller:')
    .trim() || undefined;

const customer = z.looseObject({ number: z.string().optional() });

/** What all of Vapi's messages have. */
export const message = z.looseObject({
  call: z.looseObject({ id: z.string(), type: z.string().optional(), customer: customer.optional() }),
  customer: customer.optional(),
  artifact: z.looseObject({ transcript: z.string().optional() }).optional(),
});

export type Message = z.infer<typeof message>;

const statusUpdate = message.extend({ status: z.string(), endedReason: z.string().optional() });

const report = message.extend({
  endedReason: z.string().optional(),
  analysis: z.looseObject({ summary: z.string().optional() }).optional(),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
});

const body = z.object({ message: z.looseObject({ type: z.string() }) });

const readMessage: ReadEnvelope = (given) => {
  const read = body.safeParse(given);
  return read.success ? { type: read.data.message.type, payload: read.data.message } : undefined;
};
