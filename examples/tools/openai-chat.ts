/**
 * OpenAI Chat Completions: `npm run example tools/openai-chat`. With the package the loop is:
 *
 *     const answer = await openai.chat.completions.create({ model, messages, tools: chat.tools(phoneCall) });
 *     messages.push(answer.choices[0].message, ...(await chat.runAll(phoneCall, answer.choices[0])));
 *
 * or `openai.chat.completions.runTools({ model, messages, tools: chat.runnable(phoneCall) })`. It is not installed here:
 * the example uses a scripted model.
 */
import { chat } from 'voice-agent-integrations/tools/openai';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

console.log(JSON.stringify(chat.tools(phoneCall), undefined, 2));

await converse(phoneCall, async (calls) => {
  const message = {
    role: 'assistant',
    tool_calls: calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  };
  const results = await chat.runAll(phoneCall, { message, finish_reason: 'tool_calls' });
  return results.map(({ content }) => content);
});

console.log(`\nPayments made: ${billing.countPayments()}`);
