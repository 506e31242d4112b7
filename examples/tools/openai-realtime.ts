/**
 * OpenAI Realtime: `npm run example tools/openai-realtime`. With the package, or any WebSocket:
 *
 *     session.send({ type: 'session.update', session: { type: 'realtime', tools: realtime.tools(toolbox) } });
 *     session.on('response.done', async (event) => {
 *       for (const message of await realtime.runAll(toolbox, event)) session.send(message);
 *     });
 *
 * It is not installed here: the example uses a scripted model.
 */
import { realtime } from 'voice-agent-integrations/tools/openai';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { converse } from './support/scripted-model.ts';

await using billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } });

console.log(JSON.stringify(realtime.tools(toolbox), undefined, 2));

await converse(async (calls) => {
  const output = calls.map(({ id, name, args }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  }));
  const events = await realtime.runAll(toolbox, { response: { status: 'completed', output } });
  return events.flatMap((event) => (event.type === 'response.create' ? [] : [event.item.output]));
});

console.log(`\nPayments made: ${billing.countPayments()}`);
