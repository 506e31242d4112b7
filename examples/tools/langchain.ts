/**
 * LangChain: `npm run example tools/langchain`.
 *
 * With the package this is all:
 *
 *     import { createAgent, tool, ToolMessage } from 'langchain';
 *     const agent = createAgent({ model, tools: langchain.tools(phoneCall, { tool, ToolMessage }) });
 *
 * It is not installed here; the example answers tool calls as a loop of your own does, and needs no package for that.
 */
import { langchain } from 'voice-agent-integrations/tools/langchain';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

await converse(phoneCall, async (tool_calls) => {
  // With the package: messages.push(...fields.map((each) => new ToolMessage(each)))
  const fields = await langchain.runAll(phoneCall, { tool_calls, response_metadata: { finish_reason: 'tool_calls' } });
  return fields.map((each) => JSON.stringify(each));
});

console.log(`\nPayments made: ${billing.countPayments()}`);
