/**
 * A backend for Vapi, which has the telephone, the voices and the model: this server says who answers, runs the tools
 * and writes down what was said. `npm run example backends/vapi` plays a phone call against it offline.
 *
 * For production change:
 * - PUBLIC_URL is where Vapi reaches this server. Set PUBLIC_URL/vapi/events as the server URL of a phone number that
 *   has no assistant, so that Vapi asks for one.
 * - VAPI_SECRET and VAPI_CREDENTIAL_ID are a custom credential of Vapi's dashboard: a bearer token in the header
 *   X-Vapi-Secret, without the prefix.
 * - `assistant`: model, voice and words of yours.
 * - The three systems: see integration.ts.
 */
import type { Server } from 'node:http';
import { env } from 'node:process';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import type { LiveCall } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { vapi } from 'voice-agent-integrations/tools/vapi';
import { webhook } from 'voice-agent-integrations/webhooks/hono';
import { type Heard, hear } from '../hear.ts';
import { greeting, instructions } from '../instructions.ts';
import { integration } from '../integration.ts';
import { run } from '../run.ts';
import { factsOf, message, vapiEvents } from '../vapi-events.ts';

const publicUrl = fromEnv('PUBLIC_URL')();
const credential = { ...(env['VAPI_CREDENTIAL_ID'] && { credentialId: env['VAPI_CREDENTIAL_ID'] }) };

// Vapi keeps the phone calls that are going on: their messages reach the process that comes next.
const calls = integration.liveCalls({ atClose: 'leave', state: (): Heard => ({}) });

const assistant = (call: LiveCall<Heard>) => {
  hear(call);
  // It rings: the first look-up then finds its connections open.
  void integration.warmUp();
  return {
    firstMessage: greeting,
    model: {
      provider: 'openai',
      model: 'gpt-4.1',
      messages: [{ role: 'system', content: instructions }],
      tools: vapi.tools(call, { url: `${publicUrl}/vapi/tools`, ...credential }),
    },
    server: { url: `${publicUrl}/vapi/events`, ...credential },
    serverMessages: ['status-update', 'end-of-call-report', 'tool-calls'],
  };
};

const runTools = vapi.handler({
  toolbox: ({ body }) => {
    const asked = message.parse(body['message']);
    const call = calls.of(factsOf(asked));
    hear(call, asked.artifact?.transcript);
    return call;
  },
  secret: fromEnv('VAPI_SECRET'),
  onError: console.error,
});

const app = new Hono();
app.post('/vapi/tools', ({ req }) => runTools(req.raw));
app.post('/vapi/events', webhook(vapiEvents({ calls, assistant })));

// Without options it is a server of node:http.
await run(createAdaptorServer(app) as Server);
