/**
 * LangChain: `npm run example tools/langchain`.
 *
 * With the package this is all:
 *
 *     import { createAgent, tool, ToolMessage } from 'langchain';
 *     const agent = createAgent({ model, tools: langchain.tools(toolbox, { tool, ToolMessage }) });
 *
 * It is not installed here; the example answers tool calls as a loop of your own does, and needs no package for that.
 */
import { langchain } from 'voice-agent-integrations/tools/langchain';
import { startBillingToolbox } from './support/billing-toolbox.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({
  callId: 'CA1',
  caller: { phone: '+14155550100', verified: 'caller-id' },
});

/** The tool calls of two answers of a model. */
const answers = [
  [{ id: 'call_1', name: 'lookup_customer_invoices', args: {} }],
  [
    { id: 'call_2', name: 'create_payment', args: { invoice_id: 'inv_1', amount: 120.5 } },
    { id: 'call_3', name: 'create_payment', args: { invoice_id: 'inv_1', amount: 120.5 } },
    { id: 'call_4', name: 'create_payment', args: { invoice_id: 'inv_1' } },
  ],
];

for (const tool_calls of answers) {
  // With the package: messages.push(...fields.map((each) => new ToolMessage(each)))
  const fields = await langchain.runAll(toolbox, { tool_calls, response_metadata: { finish_reason: 'tool_calls' } });
  for (const each of fields) console.log(`${JSON.stringify(each)}\n`);
}

console.log(`Payments made: ${billing.countPayments()}`);
