/**
 * Gemini generateContent: `npm run example tools/gemini`. With the package the loop is:
 *
 *     const config = { tools: generateContent.tools(phoneCall) };
 *     const answer = await ai.models.generateContent({ model, contents, config });
 *     const results = await generateContent.runAll(phoneCall, answer);
 *     if (results) contents.push(answer.candidates[0].content, results);
 *
 * or `config: { tools: [generateContent.callable(phoneCall)] }`, and the package runs the tools itself. It is not
 * installed here: the example uses a scripted model.
 */
import { generateContent } from 'voice-agent-integrations/tools/google';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

console.log(JSON.stringify(generateContent.tools(phoneCall), undefined, 2));

await converse(phoneCall, async (functionCalls) => {
  const content = await generateContent.runAll(phoneCall, { functionCalls });
  return (content?.parts ?? []).map(({ functionResponse }) => JSON.stringify(functionResponse.response));
});

console.log(`\nPayments made: ${billing.countPayments()}`);
