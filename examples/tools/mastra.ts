/**
 * Mastra: `npm run example tools/mastra`. With the package this is all:
 *
 *     import { createTool } from '@mastra/core/tools';
 *     const agent = new Agent({ id, name, instructions, model, tools: mastra.tools(phoneCall, { createTool }) });
 *
 * It is not installed here: the example uses a scripted model, and runs the tools as Mastra does.
 */
import { mastra } from 'voice-agent-integrations/tools/mastra';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

const tools = mastra.tools(phoneCall, { createTool: (definition) => definition });
for (const { id, description } of Object.values(tools)) console.log(`${id}: ${description}`);

await converse(phoneCall, (calls) =>
  Promise.all(
    calls.map(async ({ id, name, args }) => {
      const tool = tools[name];
      if (!tool) return 'no such tool';
      return tool.toModelOutput(await tool.execute(args, { agent: { toolCallId: id, messages: [] } })).value;
    }),
  ),
);

console.log(`\nPayments made: ${billing.countPayments()}`);
