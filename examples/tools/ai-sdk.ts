/**
 * Vercel AI SDK: `npm run example tools/ai-sdk`. With the package this is all:
 *
 *     const { text } = await generateText({ model, prompt, tools: aiSdk.tools(toolbox), stopWhen: isStepCount(5) });
 *
 * It is not installed here: the example uses a scripted model, and runs the tools as the SDK does.
 */
import { aiSdk } from 'voice-agent-integrations/tools/ai-sdk';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } });

const tools = aiSdk.tools(toolbox);
for (const [name, { description }] of Object.entries(tools)) console.log(`${name}: ${description}`);

await converse((calls) =>
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
