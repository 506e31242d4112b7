/**
 * Gemini generateContent: `npm run example tools/gemini`. With the package the loop is:
 *
 *     const config = { tools: generateContent.tools(toolbox) };
 *     const answer = await ai.models.generateContent({ model, contents, config });
 *     const results = await generateContent.runAll(toolbox, answer);
 *     if (results) contents.push(answer.candidates[0].content, results);
 *
 * or `config: { tools: [generateContent.callable(toolbox)] }`, and the package runs the tools itself. It is not
 * installed here: the example uses a scripted model.
 */
import { generateContent } from 'voice-agent-integrations/tools/google';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } });

console.log(JSON.stringify(generateContent.tools(toolbox), undefined, 2));

await converse(async (functionCalls) => {
  const content = await generateContent.runAll(toolbox, { functionCalls });
  return (content?.parts ?? []).map(({ functionResponse }) => JSON.stringify(functionResponse.response));
});

console.log(`\nPayments made: ${billing.countPayments()}`);
