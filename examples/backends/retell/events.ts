/** What Retell sends about a phone call, apart from its custom functions: https://docs.retellai.com/features/webhook */
import { randomUUID } from 'node:crypto';
import { env } from 'node:process';
import type { FinishInput, LiveCalls, PhoneCallOptions } from 'voice-agent-integrations';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { createWebhookReceiver, hmac, retell, type WebhookReceiver } from 'voice-agent-integrations/webhooks';
import * as z from 'zod';
import { type Heard, hear } from '../hear.ts';

export interface RetellEventsOptions {
  readonly calls: LiveCalls<Heard>;
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
      call_started: ({ payload }) => hear(calls.of(factsOf(payload.call))),
      // The analysis has the summary, and comes a moment later, or never.
      call_ended: ({ payload: { call } }) => void calls.of(factsOf(call)).end(wordsOf(call), { afterMs: reportMs }),
      call_analyzed: async ({ payload: { call } }) => {
        await calls.of(factsOf(call)).end(wordsOf(call));
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

const reportMs = Number(env['REPORT_MS'] ?? 60_000);

/** Whose phone call a message is about. The person is at the other end, also where this agent has rung. */
export const factsOf = ({
  call_id: callId,
  direction = 'inbound',
  from_number,
  to_number,
}: RetellCall): PhoneCallOptions => ({
  callId,
  direction,
  phone: direction === 'outbound' ? to_number : from_number,
});

/** In words of ours: Retell calls the caller `User`. */
const wordsOf = ({
  transcript,
  duration_ms,
  disconnection_reason: reason = 'ended',
  call_analysis,
}: RetellCall): FinishInput => ({
  outcome: reason.replaceAll('_', ' '),
  summary: call_analysis?.call_summary || undefined,
  transcript: transcript?.replace(/^User:/gm, 'Caller:').trim() || undefined,
  durationSeconds: duration_ms === undefined ? undefined : duration_ms / 1000,
});

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
