/**
 * OpenAI Agents SDK: `npm run example tools/openai-agents`. With the package this is all, for text and for voice:
 *
 *     import { RealtimeAgent, RealtimeSession, tool } from '@openai/agents/realtime';
 *     const agent = new RealtimeAgent({ name, instructions, tools: openaiAgents.tools(phoneCall, { tool }) });
 *
 * It is not installed here: the example uses a scripted model, and runs the tools as the SDK does.
 */
import { openaiAgents } from 'voice-agent-integrations/tools/openai-agents';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

const tools = openaiAgents.tools(phoneCall, { tool: (definition) => definition });
for (const { name, description } of tools) console.log(`${name}: ${description}`);

await converse(phoneCall, (calls) =>
  Promise.all(
    calls.map(async ({ id, name, args }) => {
      const called = tools.find((one) => one.name === name);
      return (await called?.execute(args, {}, { toolCall: { callId: id } })) ?? 'no such tool';
    }),
  ),
);

console.log(`\nPayments made: ${billing.countPayments()}`);
