/** Amazon Nova Sonic: `npm run example tools/nova-sonic`. Here the example itself sends what the model sends. */
import { novaSonic } from 'voice-agent-integrations/tools/nova-sonic';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

console.log('For toolConfiguration of promptStart:');
console.log(JSON.stringify(novaSonic.tools(phoneCall), undefined, 2));

await converse(phoneCall, (calls) =>
  Promise.all(
    calls.map(async ({ id, name, args }) => {
      const toolUse = { promptName: 'prompt_1', toolUseId: id, toolName: name, content: JSON.stringify(args) };
      const [, result] = await novaSonic.run(phoneCall, toolUse);
      return result.event.toolResult.content;
    }),
  ),
);

console.log(`\nPayments made: ${billing.countPayments()}`);
