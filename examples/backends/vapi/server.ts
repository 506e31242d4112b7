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
import { vapi } from 'voice-agent-integrations/tools/vapi';
import { webhook } from 'voice-agent-integrations/webhooks/hono';
import { greeting, instructions } from '../instructions.ts';
import { checked, connect, setting } from '../integration.ts';
import { createLiveCalls, type LiveCall } from '../live-calls.ts';
import { answered, run } from '../run.ts';
import { factsOf, message, transcriptOf, vapiEvents } from '../vapi-events.ts';

const { integration, close } = await checked(connect());
const calls = createLiveCalls(integration, { reportMs: Number(env['REPORT_MS'] ?? 60_000) });
const secret = () => setting('VAPI_SECRET');
const publicUrl = setting('PUBLIC_URL');
const credential = { ...(env['VAPI_CREDENTIAL_ID'] && { credentialId: env['VAPI_CREDENTIAL_ID'] }) };

const assistant = ({ phoneCall }: LiveCall) => ({
  firstMessage: greeting,
  model: {
    provider: 'openai',
    model: 'gpt-4.1',
    messages: [{ role: 'system', content: instructions }],
    tools: vapi.tools(phoneCall.tools, { url: `${publicUrl}/vapi/tools`, ...credential }),
  },
  server: { url: `${publicUrl}/vapi/events`, ...credential },
  serverMessages: ['status-update', 'end-of-call-report', 'tool-calls'],
});

const runTools = vapi.handler({
  toolbox: ({ body }) => {
    const asked = message.parse(body['message']);
    const call = calls.of(factsOf(asked));
    call.tell({ transcript: transcriptOf(asked) });
    // One deadline for all tools of this message, and none of them outlives the phone call.
    return call.phoneCall.turn({ signal: call.hungUp }).tools;
  },
  secret,
  onError: console.error,
});

const events = vapiEvents({
  calls,
  secret,
  assistant: (call) => {
    // It rings: the first look-up then finds its connections open.
    void integration.warmUp();
    return assistant(call);
  },
});

const app = new Hono();
app.post('/vapi/tools', ({ req }) => runTools(req.raw));
app.post('/vapi/events', webhook(events));

// Without options it is a server of node:http.
const server = createAdaptorServer(app) as Server;

await run(server, async () => {
  await answered(server);
  // Vapi keeps the phone calls that are going on: their messages reach the process that comes next.
  await calls.settle();
  await close();
});
