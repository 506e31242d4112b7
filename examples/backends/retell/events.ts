/** What Retell sends about a phone call, apart from its custom functions: https://docs.retellai.com/features/webhook */
import { randomUUID } from 'node:crypto';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { createWebhookReceiver, hmac, retell, type WebhookReceiver } from 'voice-agent-integrations/webhooks';
import * as z from 'zod';
import type { LiveCall, LiveCalls } from '../live-calls.ts';

export interface RetellEventsOptions {
  readonly calls: LiveCalls;
  /** Retell signs with the key that has the webhook badge: https://docs.retellai.com/features/secure-webhook */
  readonly apiKey: () => string;
  readonly onRinging: () => void;
}

export const retellEvents = ({ calls, apiKey, onRinging }: RetellEventsOptions): WebhookReceiver =>
  createWebhookReceiver({
    name: 'retell',
    authentication: [hmac({ scheme: retell, secrets: apiKey })],
    events: { call_inbound: callInbound, call_started: about, call_ended: about, call_analyzed: about },
    on: {
      // The call is not answered yet, and there is no id yet: https://docs.retellai.com/features/inbound-call-webhook
      call_inbound: () => {
        onRinging();
        return { call_inbound: {} };
      },
      call_started: ({ payload }) => void hear(calls, payload.call),
      // The analysis has the summary, and comes a moment later, or never.
      call_ended: ({ payload: { call } }) => hear(calls, call).endSoon(outcomeOf(call)),
      call_analyzed: async ({ payload: { call } }) => {
        const live = hear(calls, call);
        live.tell({ summary: call.call_analysis?.call_summary || undefined });
        await live.end(outcomeOf(call));
      },
    },
    // Others are for those who ask for them.
    unlistedEvents: 'acknowledge',
    eventId: ({ type, payload }) =>
      // Two calls that come in look the same where there is no id yet; the other schemas have let a call through.
      type === 'call_inbound' ? randomUUID() : `${(payload as z.infer<typeof about>).call.call_id}:${type}`,
    // A process that comes after this one finds a phone call finished by its id.
    store: createMemoryIdempotencyStore(),
    // The report of a long phone call holds every word several times.
    maximumBodyBytes: 4 * 1024 * 1024,
    onError: console.error,
  });

/** The phone call of a message, with the conversation so far, which every message carries. */
export const hear = (calls: LiveCalls, call: RetellCall): LiveCall => {
  const isOutbound = call.direction === 'outbound';
  const live = calls.of({
    callId: call.call_id,
    direction: isOutbound ? 'Outbound' : 'Inbound',
    phone: isOutbound ? call.to_number : call.from_number,
  });
  live.tell({
    // In words of ours: Retell calls the caller `User`.
    transcript: call.transcript?.replace(/^User:/gm, 'Caller:').trim() || undefined,
    durationSeconds: call.duration_ms === undefined ? undefined : call.duration_ms / 1000,
  });
  return live;
};

/** A call from a browser has no direction and no numbers. */
export const retellCall = z.looseObject({
  call_id: z.string(),
  direction: z.enum(['inbound', 'outbound']).optional(),
  from_number: z.string().optional(),
  to_number: z.string().optional(),
  transcript: z.string().optional(),
  duration_ms: z.number().optional(),
  disconnection_reason: z.string().optional(),
  call_analysis: z.looseObject({ call_summary: z.string().optional() }).optional(),
});

export type RetellCall = z.infer<typeof retellCall>;

const about = z.looseObject({ call: retellCall });

const callInbound = z.looseObject({ call_inbound: z.looseObject({ from_number: z.string() }) });

const outcomeOf = ({ disconnection_reason: reason = 'ended' }: RetellCall) => reason.replaceAll('_', ' ');
