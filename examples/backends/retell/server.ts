/**
 * A backend for Retell, which has the telephone, the voices and the model: this server gives the model its tools, runs
 * them, and writes down what was said. `npm run example backends/retell` plays a phone call against it offline.
 *
 * For production change these lines:
 * - `PUBLIC_URL` is where Retell reaches this server: `PUBLIC_URL/retell/events` is the webhook of the agent and the
 *   inbound webhook of the phone number.
 * - `RETELL_API_KEY` is the key with the webhook badge, `RETELL_LLM_ID` the Retell LLM of the agent; without
 *   `RETELL_BASE_URL` it is Retell itself.
 * - `integration.ts`: your systems.
 */
import type { Server } from 'node:http';
import { env } from 'node:process';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { fromEnv } from 'voice-agent-integrations/auth';
import { retell } from 'voice-agent-integrations/tools/retell';
import { webhook } from 'voice-agent-integrations/webhooks/hono';
import { type Heard, hear } from '../hear.ts';
import { greeting, instructions } from '../instructions.ts';
import { integration } from '../integration.ts';
import { run } from '../run.ts';
import { factsOf, retellCall, retellEvents } from './events.ts';

const publicUrl = fromEnv('PUBLIC_URL')();
const apiKey = fromEnv('RETELL_API_KEY');

// Retell keeps the phone calls that are going on: their requests reach the process that comes next.
const calls = integration.liveCalls({ atClose: 'leave', state: (): Heard => ({}) });

const runTool = retell.handler({
  apiKey,
  toolbox: ({ body }) => {
    const asked = retellCall.parse(body['call']);
    const call = calls.of(factsOf(asked));
    hear(call, asked.transcript);
    return call;
  },
  onError: console.error,
});

/** Whenever the server starts, so that what the model may call and what this process can do are never two things. */
const registerTools = async (): Promise<void> => {
  // Only its tools are read.
  const phoneCall = integration.startPhoneCall({ callId: 'registration', prefetch: [] });
  const baseUrl = env['RETELL_BASE_URL'] ?? 'https://api.retellai.com';
  const response = await fetch(`${baseUrl}/update-retell-llm/${fromEnv('RETELL_LLM_ID')()}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey()}` },
    body: JSON.stringify({
      general_prompt: instructions,
      begin_message: greeting,
      general_tools: [
        ...retell.tools(phoneCall, { url: `${publicUrl}/retell/tools` }),
        { type: 'end_call', name: 'end_call', description: 'Hang up after the goodbye.' },
      ],
    }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`Retell did not take the tools: ${response.status}`);
};

const app = new Hono();
app.post('/retell/tools', ({ req }) => runTool(req.raw));
// While it rings, the first look-up's connections are opened.
app.post('/retell/events', webhook(retellEvents({ calls, apiKey, onRinging: () => void integration.warmUp() })));

await registerTools();
// Without options it is a server of node:http.
await run(createAdaptorServer(app) as Server);
