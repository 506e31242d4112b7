/**
 * LiveKit Agents: `npm run example tools/livekit`.
 *
 * With the package this is all:
 *
 *     import { llm, voice } from '@livekit/agents';
 *     const agent = new voice.Agent({ instructions, tools: livekit.tools(toolbox, { llm }) });
 *
 * It is not installed here, so the example has its own two parts of `llm`, and calls the tools.
 */
import { livekit } from 'voice-agent-integrations/tools/livekit';
import { startBillingToolbox } from './support/billing-toolbox.ts';

class ToolError extends Error {}

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({
  callId: 'room_1',
  caller: { phone: '+14155550100', verified: 'caller-id' },
});

const tools = livekit.tools(toolbox, { llm: { tool: (definition) => definition, ToolError } });
for (const [name, { description, onDuplicate }] of Object.entries(tools))
  console.log(`${name} (asked for twice at once: ${onDuplicate}): ${description}`);

const call = async (name: string, args: Record<string, unknown>, toolCallId: string) => {
  try {
    console.log(`\n${name}: ${JSON.stringify(await tools[name]?.execute(args, { toolCallId }))}`);
  } catch (error) {
    // LiveKit shows the model the message of a ToolError.
    console.log(`\n${name}, flagged as an error: ${error instanceof ToolError ? error.message : error}`);
  }
};

await call('lookup_customer_invoices', {}, 'call_1');
await call('create_payment', { invoice_id: 'inv_1', amount: -1 }, 'call_2');
await call('create_payment', { invoice_id: 'inv_1', amount: 120.5 }, 'call_3');
// After an interruption the model has lost the result and asks again.
await call('create_payment', { invoice_id: 'inv_1', amount: 120.5 }, 'call_4');

console.log(`\nPayments made: ${billing.countPayments()}`);
