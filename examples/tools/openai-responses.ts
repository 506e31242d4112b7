/**
 * OpenAI Responses: `npm run example tools/openai-responses`. With the package the loop is:
 *
 *     const answer = await openai.responses.create({ model, input, tools: responses.tools(toolbox) });
 *     input.push(...answer.output, ...(await responses.runAll(toolbox, answer)));
 *
 * It is not installed here: the example uses a scripted model.
 */
import { responses } from 'voice-agent-integrations/tools/openai';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } });

console.log(JSON.stringify(responses.tools(toolbox), undefined, 2));

await converse(async (calls) => {
  const answer = {
    output: calls.map(({ id, name, args }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    })),
  };
  const items = await responses.runAll(toolbox, answer);
  return items.map(({ output }) => output);
});

console.log(`\nPayments made: ${billing.countPayments()}`);
