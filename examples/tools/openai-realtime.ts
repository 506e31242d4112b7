/**
 * OpenAI Realtime: `npm run example tools/openai-realtime`. Over a WebSocket, such as that of the package, it's this:
 *
 *     realtime.connect(toolbox, { socket: new OpenAIRealtimeWS({ model }), onError: console.error });
 *
 * Here a scripted model takes the place of OpenAI: `send` gets what the session sends, `handle` what the model sends.
 */
import { realtime } from 'voice-agent-integrations/tools/openai';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } });

let results: string[] = [];
let goOn = () => {};
const session = realtime.connect(toolbox, {
  send: (event) => {
    if (event.type === 'session.update') console.log(JSON.stringify(event.session.tools, undefined, 2));
    if (event.type === 'conversation.item.create' && 'output' in event.item) results.push(event.item.output);
    if (event.type === 'response.create') goOn();
  },
  onError: console.error,
});

await converse(async (calls) => {
  const output = calls.map(({ id, name, args }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  }));
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
  results = [];
  session.handle({ type: 'response.created', response: { id: 'resp_1' } });
  session.handle({ type: 'response.done', response: { id: 'resp_1', status: 'completed', output } });
  await mayGoOn;
  return results;
});
session.close();

console.log(`\nPayments made: ${billing.countPayments()}`);
