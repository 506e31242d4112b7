/**
 * Gemini Live: `npm run example tools/gemini-live`. With the package:
 *
 *     const receive = live.connect(phoneCall, { send: (responses) => session.sendToolResponse(responses) });
 *     const session = await ai.live.connect({
 *       model,
 *       config: { tools: live.tools(phoneCall, { readBehavior: Behavior.NON_BLOCKING }) },
 *       callbacks: { onmessage: handle },
 *     });
 *
 * It is not installed here: the example itself sends what the API sends.
 */
import { live } from 'voice-agent-integrations/tools/google';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

console.log(JSON.stringify(live.tools(phoneCall, { readBehavior: 'NON_BLOCKING' }), undefined, 2));

const told: string[] = [];
const receive = live.connect(phoneCall, {
  send: ({ functionResponses }) => {
    for (const { response } of functionResponses) told.push(JSON.stringify(response));
  },
});

await converse(phoneCall, async (functionCalls) => {
  await receive({ toolCall: { functionCalls } });
  return told.splice(0);
});

// The person goes on speaking, so the API takes a call back: it gets no response.
const answered = receive({
  toolCall: { functionCalls: [{ id: 'call_6', name: 'lookup_customer_invoices', args: {} }] },
});
await receive({ toolCallCancellation: { ids: ['call_6'] } });
await answered;
console.log(`\nResponses to the call that was taken back: ${told.length}`);

console.log(`Payments made: ${billing.countPayments()}`);
