// Vapi has the telephone, the voices and the model. This server runs the tools and writes the call down.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createIntegration } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { cardOnFile, stripe } from 'voice-agent-integrations/billing/stripe';
import { hubspot } from 'voice-agent-integrations/crm/hubspot';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';
import { vapi } from 'voice-agent-integrations/tools/vapi';
import { createWebhookReceiver, sharedSecret } from 'voice-agent-integrations/webhooks';
import { webhook } from 'voice-agent-integrations/webhooks/hono';
import * as z from 'zod';

const integration = createIntegration({
  billing: stripe({ currency: 'EUR', key: fromEnv('STRIPE_KEY') }),
  crm: hubspot({ key: fromEnv('HUBSPOT_KEY') }),
  payments: { card: cardOnFile, below: 500 },
  store: sqlite({ file: 'voice-agent.db' }).idempotencyStore(),
});
const calls = integration.liveCalls({ atClose: 'leave' }); // Vapi holds the line: the next process goes on

const ringing = z.object({
  call: z.object({ id: z.string(), customer: z.object({ number: z.string().nullish() }).nullish() }),
});
const report = ringing.extend({
  endedReason: z.string().default('ended'),
  artifact: z.object({ transcript: z.string().optional() }).optional(),
});
const events = createWebhookReceiver({
  name: 'vapi',
  authentication: [sharedSecret({ header: 'x-vapi-secret', secrets: fromEnv('VAPI_SECRET') })],
  informational: true,
  envelope: (body) => {
    const message = z.looseObject({ message: z.looseObject({ type: z.string() }) }).safeParse(body).data?.message;
    return message && { type: message.type, payload: message };
  },
  eventId: ({ type, payload }) => `${(payload as z.infer<typeof ringing>).call.id}:${type}`,
  events: { 'assistant-request': ringing, 'end-of-call-report': report },
  unlistedEvents: 'acknowledge',
  store: createMemoryIdempotencyStore(),
  on: {
    // The phone rings: say who answers, and with which tools.
    'assistant-request': ({ payload: { call } }) => {
      const live = calls.of({ callId: call.id, phone: call.customer?.number });
      const tools = vapi.tools(live, { url: 'https://agent.example/vapi/tools' });
      return {
        assistant: { model: { provider: 'openai', model: 'gpt-4.1', tools: JSON.parse(JSON.stringify(tools)) } },
      };
    },
    'end-of-call-report': async ({ payload: { call, endedReason, artifact } }) => {
      const live = calls.of({ callId: call.id, phone: call.customer?.number });
      await live.end({ outcome: endedReason, transcript: artifact?.transcript });
    },
  },
});

const app = new Hono();
const runTools = vapi.handler({ toolbox: calls.of, secret: fromEnv('VAPI_SECRET'), onError: console.error });
app.post('/vapi/tools', ({ req }) => runTools(req.raw));
app.post('/vapi/events', webhook(events));

await integration.check();
const server = serve({ fetch: app.fetch, port: 3000 });
process.once('SIGTERM', () => {
  server.close();
  void integration.close();
});
