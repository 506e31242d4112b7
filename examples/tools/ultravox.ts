/** Ultravox: `npm run example tools/ultravox`. Here the example itself sends what Ultravox sends. */
import { ultravox } from 'voice-agent-integrations/tools/ultravox';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

console.log('For the call’s selectedTools:');
console.log(JSON.stringify(ultravox.tools(phoneCall), undefined, 2));

await converse(phoneCall, (calls) =>
  Promise.all(
    calls.map(async ({ id, name, args }) => {
      const invocation = { type: 'client_tool_invocation', toolName: name, invocationId: id, parameters: args };
      // With a socket: socket.send(JSON.stringify(await ultravox.run(phoneCall, invocation)))
      return JSON.stringify(await ultravox.run(phoneCall, invocation));
    }),
  ),
);

console.log(`\nPayments made: ${billing.countPayments()}`);
