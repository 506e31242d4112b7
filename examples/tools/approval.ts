/**
 * A refund that a colleague approves while the caller waits: `npm run example tools/approval`.
 *
 * `approve` may take longer than a turn. The model reads that it's waiting for a colleague; the refund is made when the
 * colleague says yes, and the next call of the tool says so. However often the model asks, it's made once.
 */
import { once } from 'node:events';
import { createToolbox, defineTool } from 'voice-agent-integrations/tools';
import * as z from 'zod';
import { startScriptedCall } from './support/scripted-call.ts';

const refund = defineTool({
  name: 'refund',
  description: 'Give money back.',
  parameters: z.object({ order: z.string(), amount: z.number().gt(0).lt(500) }),
  effect: 'payment',
  amount: () => 0,
  confirm: 'both', // the caller says yes first
  summarize: ({ order, amount }) => `Give back ${amount} EUR for order ${order}.`,
  run: ({ amount }) => ({ success: true, refunded: amount }),
});

/** Replaces the screen of a colleague. */
const desk = new EventTarget();
const settled = new EventTarget();

const toolbox = createToolbox({
  tools: [refund],
  context: {
    callId: 'CA1',
    onSettled: ({ result }) => {
      console.log(`\n(The colleague has said yes: ${result.text})`);
      settled.dispatchEvent(new Event('done'));
    },
  },
  deadline: 1_000,
  approve: async (summary) => {
    console.log(`        (A colleague reads: ${summary})`);
    await once(desk, 'yes');
    return true;
  },
});
const { caller, agent, model } = startScriptedCall(toolbox);

caller('My order 70 came broken. I want my money back.');
const { value } = await model('refund', { order: '70', amount: 25 });
agent('Shall I give back 25 euros?');

caller('Yes.');
// The value is what the first step gives.
const { confirmation_token } = value as { readonly confirmation_token: string };
await model('refund', { order: '70', amount: 25, confirmation_token });
agent('A colleague is looking at it.');

const isSettled = once(settled, 'done');
desk.dispatchEvent(new Event('yes'));
await isSettled;

caller('And?');
await model('refund', { order: '70', amount: 25 });
agent('Your 25 euros are on their way.');
