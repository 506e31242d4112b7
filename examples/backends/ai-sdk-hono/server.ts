/**
 * A model of your own for a voice platform: Vercel AI SDK behind Hono, as the OpenAI-compatible endpoint that Vapi calls
 * a custom LLM. The platform has the telephone and the voices. `npm run example backends/ai-sdk-hono` plays a call to it.
 *
 * For production change these lines:
 * - `PUBLIC_URL` is where Vapi reaches this server. `PUBLIC_URL/vapi/events` is the server URL of a phone number that has
 *   no assistant, so that Vapi asks for one.
 * - `LLM_TOKEN` is the key of Vapi's custom-llm credential; `VAPI_SECRET` and `VAPI_CREDENTIAL_ID` are a custom credential
 *   in the header X-Vapi-Secret, without a prefix.
 * - `model` is any of the AI SDK's; this one reads `OPENAI_API_KEY`, and `OPENAI_BASE_URL` where it is not OpenAI itself.
 * - `integration.ts`: your systems.
 */
import type { Server } from 'node:http';
import { env } from 'node:process';
import { openai } from '@ai-sdk/openai';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { streamSSE } from 'hono/streaming';
import { fromEnv } from 'voice-agent-integrations/auth';
import { webhook } from 'voice-agent-integrations/webhooks/hono';
import * as z from 'zod';
import { greeting } from '../instructions.ts';
import { integration } from '../integration.ts';
import { run } from '../run.ts';
import { factsOf, message, vapiEvents } from '../vapi-events.ts';
import { answer, startConversation } from './conversations.ts';

const publicUrl = fromEnv('PUBLIC_URL')();
const credential = { ...(env['VAPI_CREDENTIAL_ID'] && { credentialId: env['VAPI_CREDENTIAL_ID'] }) };
const model = openai.chat(env['OPENAI_MODEL'] ?? 'gpt-5-mini');

// Vapi keeps the phone calls that are going on: their requests reach the process that comes next.
const calls = integration.liveCalls({ atClose: 'leave', state: startConversation });

/** What Vapi sends a custom LLM: https://docs.vapi.ai/customization/custom-llm/using-your-server */
const chatRequest = message.extend({
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().nullish() })),
});

const app = new Hono();

app.use('/llm/*', bearerAuth({ token: fromEnv('LLM_TOKEN')() }));
app.post('/llm/chat/completions', async (context) => {
  const request = chatRequest.parse(await context.req.json());
  const call = calls.of(factsOf(request));
  return streamSSE(context, async (stream) => {
    const write = (delta: object, finish_reason: 'stop' | null = null) =>
      stream.writeSSE({ data: JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] }) });
    // Vapi ends the request when the caller talks over the answer.
    const talkedOver = new AbortController();
    stream.onAbort(() => talkedOver.abort());
    await answer(call, request.messages, {
      model,
      signal: talkedOver.signal,
      write: async (content) => void (await write({ content })),
    });
    await write({}, 'stop');
    await stream.writeSSE({ data: '[DONE]' });
  });
});

const chunk = { id: 'chatcmpl', object: 'chat.completion.chunk', created: 0, model: 'acme' };

const assistant = () => {
  // It rings: the first look-up then finds its connections open.
  void integration.warmUp();
  return {
    firstMessage: greeting,
    model: { provider: 'custom-llm', url: `${publicUrl}/llm`, model: chunk.model },
    server: { url: `${publicUrl}/vapi/events`, ...credential },
    serverMessages: ['status-update', 'end-of-call-report'],
  };
};

app.post('/vapi/events', webhook(vapiEvents({ calls, assistant })));

// Without options it is a server of node:http.
await run(createAdaptorServer(app) as Server);
