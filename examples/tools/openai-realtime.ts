/**
 * OpenAI Realtime: `npm run example tools/openai-realtime`. Over a WebSocket, such as that of the package, it's this:
 *
 *     realtime.connect(phoneCall, { socket: new OpenAIRealtimeWS({ model }), onError: console.error });
 *
 * Here a scripted model takes the place of OpenAI: `send` gets what the session sends, `handle` what the model sends.
 */
import { realtime } from 'voice-agent-integrations/tools/openai';
import { startBillingCall } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingCall();
const { phoneCall } = billing;

/** The model gives an answer, with these items in it. */
const answer = (output: object[], metadata?: object) => {
  answers += 1;
  const response = { id: `resp_${answers}`, status: 'completed', metadata, output };
  session.handle({ type: 'response.created', response });
  session.handle({ type: 'response.done', response });
};

let answers = 0;
let results: string[] = [];
let goOn = () => {};
const session = realtime.connect(phoneCall, {
  send: (event) => {
    if (event.type === 'session.update') console.log(JSON.stringify(event.session.tools, undefined, 2));
    if (event.type === 'conversation.item.create' && 'output' in event.item) results.push(event.item.output);
    if (event.type !== 'response.create') return;
    // On a slow machine the session has the model say that it takes a moment, and asks for the answer after that.
    if (event.response) queueMicrotask(() => answer([], event.response?.metadata));
    else goOn();
  },
  onError: console.error,
});

await converse(phoneCall, async (calls) => {
  const output = calls.map(({ id, name, args }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  }));
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
  results = [];
  answer(output);
  await mayGoOn;
  return results;
});
session.close();

console.log(`\nPayments made: ${billing.countPayments()}`);
