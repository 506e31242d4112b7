/**
 * AWS Bedrock Converse: `npm run example tools/bedrock`. With the package the loop is:
 *
 *     const toolConfig = bedrock.tools(phoneCall);
 *     const answer = await client.send(new ConverseCommand({ modelId, messages, toolConfig }));
 *     const results = await bedrock.runAll(phoneCall, answer);
 *     if (results) messages.push(answer.output.message, results);
 *
 * It is not installed here: the example uses a scripted model.
 */
import { bedrock } from 'voice-agent-integrations/tools/bedrock';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

console.log(JSON.stringify(bedrock.tools(phoneCall), undefined, 2));

await converse(phoneCall, async (calls) => {
  const content = calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } }));
  const message = await bedrock.runAll(phoneCall, { output: { message: { content } }, stopReason: 'tool_use' });
  return (message?.content ?? []).map(
    ({
      toolResult: {
        status = 'success',
        content: [part],
      },
    }) => `${status}: ${part?.text}`,
  );
});

console.log(`\nPayments made: ${billing.countPayments()}`);
