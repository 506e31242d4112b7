/**
 * Mistral: `npm run example tools/mistral`. With the package the loop is:
 *
 *     const answer = await client.chat.complete({ model, messages, tools: mistral.tools(toolbox) });
 *     messages.push(answer.choices[0].message, ...(await mistral.runAll(toolbox, answer.choices[0])));
 *
 * It is not installed here: the example uses a scripted model.
 */
import { mistral } from 'voice-agent-integrations/tools/mistral';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } });

console.log(JSON.stringify(mistral.tools(toolbox), undefined, 2));

await converse(async (calls) => {
  const toolCalls = calls.map(({ id, name, args }) => ({ id, function: { name, arguments: JSON.stringify(args) } }));
  const messages = await mistral.runAll(toolbox, { message: { toolCalls }, finishReason: 'tool_calls' });
  return messages.map(({ content }) => content);
});

console.log(`\nPayments made: ${billing.countPayments()}`);
