/**
 * OpenAI Chat Completions: `npm run example tools/openai-chat`. With the package the loop is:
 *
 *     const answer = await openai.chat.completions.create({ model, messages, tools: chat.tools(toolbox) });
 *     messages.push(answer.choices[0].message, ...(await chat.runAll(toolbox, answer.choices[0])));
 *
 * or `openai.chat.completions.runTools({ model, messages, tools: chat.runnable(toolbox) })`. It is not installed here:
 * the example uses a scripted model.
 */
import { chat } from 'voice-agent-integrations/tools/openai';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } });

console.log(JSON.stringify(chat.tools(toolbox), undefined, 2));

await converse(async (calls) => {
  const message = {
    role: 'assistant',
    tool_calls: calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  };
  const results = await chat.runAll(toolbox, { message, finish_reason: 'tool_calls' });
  return results.map(({ content }) => content);
});

console.log(`\nPayments made: ${billing.countPayments()}`);
