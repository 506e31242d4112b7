/** Deepgram Voice Agent: `npm run example tools/deepgram`. Here the example itself sends what Deepgram sends. */
import { deepgram } from 'voice-agent-integrations/tools/deepgram';
import { startBillingToolbox } from './support/billing-toolbox.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({
  callId: 'CA1',
  caller: { phone: '+14155550100', verified: 'caller-id' },
});

console.log('For agent.think.functions:');
console.log(JSON.stringify(deepgram.tools(toolbox), undefined, 2));

// With a socket: send: (message) => socket.send(JSON.stringify(message))
const receive = deepgram.connect(toolbox, { send: (message) => console.log(`\n${JSON.stringify(message)}`) });

const request = (id: string, name: string, args: object) => ({
  type: 'FunctionCallRequest',
  functions: [{ id, name, arguments: JSON.stringify(args), client_side: true }],
});
const payment = { invoice_id: 'inv_1', amount: 120.5 };

await receive(request('fc_1', 'lookup_customer_invoices', {}));
await receive(request('fc_2', 'create_payment', payment));

// The person goes on speaking, so Deepgram takes the call back: it gets no answer.
const answered = receive(request('fc_3', 'lookup_customer_invoices', {}));
await receive({ type: 'FunctionCallCancelled', functions: [{ id: 'fc_3', name: 'lookup_customer_invoices' }] });
await answered;

// The model plans again and asks for the same payment under another id.
await receive(request('fc_4', 'create_payment', payment));

console.log(`\nPayments made: ${billing.countPayments()}`);
