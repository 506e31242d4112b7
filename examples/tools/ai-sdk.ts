/**
 * Vercel AI SDK: `npm run example tools/ai-sdk`. With the package this is all:
 *
 *     const { text } = await generateText({ model, prompt, tools: aiSdk.tools(phoneCall), stopWhen: isStepCount(5) });
 *
 * It is not installed here: the example uses a scripted model, and runs the tools as the SDK does.
 */
import { aiSdk } from 'voice-agent-integrations/tools/ai-sdk';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

const tools = aiSdk.tools(phoneCall);
for (const [name, { description }] of Object.entries(tools)) console.log(`${name}: ${description}`);

await converse(phoneCall, (calls) =>
  Promise.all(
    calls.map(async ({ id, name, args }) => {
      const tool = tools[name];
      if (!tool) return 'no such tool';
      const { type, value } = tool.toModelOutput({ output: await tool.execute(args, { toolCallId: id }) });
      return `${type}: ${value}`;
    }),
  ),
);

console.log(`\nPayments made: ${billing.countPayments()}`);
