/**
 * LiveKit Agents: `npm run example tools/livekit`.
 *
 * With the package this is all:
 *
 *     import { llm, voice } from '@livekit/agents';
 *     const agent = new voice.Agent({ instructions, tools: livekit.tools(phoneCall, { llm }) });
 *
 * It is not installed here, so the example has its own two parts of `llm`, and calls the tools.
 */
import { livekit } from 'voice-agent-integrations/tools/livekit';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

class ToolError extends Error {}

await using billing = await startBillingCall();
const { phoneCall } = billing;

const tools = livekit.tools(phoneCall, { llm: { tool: (definition) => definition, ToolError } });
for (const [name, { description, onDuplicate }] of Object.entries(tools))
  console.log(`${name} (asked for twice at once: ${onDuplicate}): ${description}`);

await converse(phoneCall, (calls) =>
  Promise.all(
    calls.map(async ({ id, name, args }) => {
      try {
        return JSON.stringify(await tools[name]?.execute({ ...args }, { toolCallId: id }));
      } catch (error) {
        // LiveKit shows the model the message of a ToolError.
        return `flagged as an error: ${error instanceof ToolError ? error.message : error}`;
      }
    }),
  ),
);

console.log(`\nPayments made: ${billing.countPayments()}`);
