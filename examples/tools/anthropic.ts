/**
 * Anthropic Messages: `npm run example tools/anthropic`. With the package the loop is:
 *
 *     const answer = await anthropic.messages.create({ model, max_tokens, messages, tools: anthropicTools.tools(phoneCall) });
 *     messages.push({ role: 'assistant', content: answer.content });
 *     const results = await anthropicTools.runAll(phoneCall, answer);
 *     if (results) messages.push(results);
 *
 * or `anthropic.beta.messages.toolRunner({ ..., tools: anthropicTools.runnable(phoneCall, { ToolError }) })`. It is not
 * installed here: the example uses a scripted model.
 */
import { anthropic as anthropicTools } from 'voice-agent-integrations/tools/anthropic';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

console.log(JSON.stringify(anthropicTools.tools(phoneCall), undefined, 2));

await converse(phoneCall, async (calls) => {
  const content = calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }));
  const message = await anthropicTools.runAll(phoneCall, { content, stop_reason: 'tool_use' });
  return (message?.content ?? []).map((block) => (block.is_error ? `error: ${block.content}` : block.content));
});

console.log(`\nPayments made: ${billing.countPayments()}`);
