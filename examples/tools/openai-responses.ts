/**
 * OpenAI Responses: `npm run example tools/openai-responses`. With the package the loop is:
 *
 *     const answer = await openai.responses.create({ model, input, tools: responses.tools(phoneCall) });
 *     input.push(...answer.output, ...(await responses.runAll(phoneCall, answer)));
 *
 * It is not installed here: the example uses a scripted model.
 */
import { responses } from 'voice-agent-integrations/tools/openai';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

console.log(JSON.stringify(responses.tools(phoneCall), undefined, 2));

await converse(phoneCall, async (calls) => {
  const answer = {
    output: calls.map(({ id, name, args }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    })),
  };
  const items = await responses.runAll(phoneCall, answer);
  return items.map(({ output }) => output);
});

console.log(`\nPayments made: ${billing.countPayments()}`);
