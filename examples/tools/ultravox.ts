/** Ultravox: `npm run example tools/ultravox`. Here the example itself sends what Ultravox sends. */
import { ultravox } from 'voice-agent-integrations/tools/ultravox';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } });

console.log('For the call’s selectedTools:');
console.log(JSON.stringify(ultravox.tools(toolbox), undefined, 2));

await converse((calls) =>
  Promise.all(
    calls.map(async ({ id, name, args }) => {
      const invocation = { type: 'client_tool_invocation', toolName: name, invocationId: id, parameters: args };
      // With a socket: socket.send(JSON.stringify(await ultravox.run(toolbox, invocation)))
      return JSON.stringify(await ultravox.run(toolbox, invocation));
    }),
  ),
);

console.log(`\nPayments made: ${billing.countPayments()}`);
