/**
 * Mastra: `npm run example tools/mastra`. With the package this is all:
 *
 *     import { createTool } from '@mastra/core/tools';
 *     const agent = new Agent({ id, name, instructions, model, tools: mastra.tools(toolbox, { createTool }) });
 *
 * It is not installed here: the example uses a scripted model, and runs the tools as Mastra does.
 */
import { mastra } from 'voice-agent-integrations/tools/mastra';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } });

const tools = mastra.tools(toolbox, { createTool: (definition) => definition });
for (const { id, description } of Object.values(tools)) console.log(`${id}: ${description}`);

await converse((calls) =>
  Promise.all(
    calls.map(async ({ id, name, args }) => {
      const tool = tools[name];
      if (!tool) return 'no such tool';
      return tool.toModelOutput(await tool.execute(args, { agent: { toolCallId: id, messages: [] } })).value;
    }),
  ),
);

console.log(`\nPayments made: ${billing.countPayments()}`);
