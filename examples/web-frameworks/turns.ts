// turns.ts
import express from 'express';
import OpenAI from 'openai';
import { createIntegration } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { cardOnFile, stripe } from 'voice-agent-integrations/billing/stripe';
import { chat } from 'voice-agent-integrations/tools/openai';

const account = stripe({ currency: 'EUR', key: fromEnv('BILLING_API_KEY') });
const integration = createIntegration({
  billing: { ...account, baseUrl: fromEnv('BILLING_BASE_URL') }, // a sandbox; for Stripe itself: `account`
  payments: { card: cardOnFile, below: 500 },
});
const calls = integration.liveCalls({ state: () => ({ messages: [] as OpenAI.ChatCompletionMessageParam[] }) });
const openai = new OpenAI();

const app = express();
app.use(express.urlencoded());
app.post('/turn', async ({ body: { CallSid, From, SpeechResult } }, response) => {
  const call = calls.of({ callId: CallSid, phone: From });
  const said = await call.turn({ heard: SpeechResult }, async ({ state, tools, signal }) => {
    const messages = [...state.messages, { role: 'user' as const, content: SpeechResult }];
    const chatTools = chat.runnable(tools);
    const run = openai.chat.completions.runTools({ model: 'gpt-4.1', messages, tools: chatTools }, { signal });
    const words = (await run.finalContent()) ?? '';
    state.messages = run.messages; // with tool calls, results and the answer
    return words;
  });
  const words = said.replace(/[<&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  response.type('xml').send(`<Response><Gather input="speech" action="/turn"><Say>${words}</Say></Gather></Response>`);
});
app.post('/hang-up', async ({ body: { CallSid } }, response) => {
  await calls.of({ callId: CallSid }).end({ outcome: 'resolved' });
  response.sendStatus(204);
});
app.listen(3000, () => console.log('Listening until Ctrl-C.'));
