import { createToolbox, defineTool } from 'voice-agent-integrations/tools';
import { chat } from 'voice-agent-integrations/tools/openai';

interface Callback {
  readonly phone: string;
  readonly reason: string;
}

const callback = {
  '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value: value as Callback }) },
} as const;

const bookCallback = defineTool({
  name: 'book_callback',
  description: 'Ask a colleague to call back.',
  parameters: callback,
  jsonSchema: { type: 'object', properties: { phone: { type: 'string' }, reason: { type: 'string' } } },
  effect: 'write',
  rules: [
    ({ phone }, { caller }) => (phone === caller.phone ? undefined : { field: 'phone', problem: 'must be their own' }),
  ],
  run: async ({ phone }, { idempotencyKey }) => ({ booked: phone, under: idempotencyKey ?? '' }),
});

export const answer = async (id: string): Promise<string> => {
  const tools = createToolbox({ tools: [bookCallback] }).bind({
    callId: 'CA1',
    caller: { phone: '+14155550100', verified: 'no' },
  });
  const call = { id, type: 'function' as const, function: { name: 'book_callback', arguments: '{}' } };
  const results = await chat.runAll(tools, { role: 'assistant', tool_calls: [call] });
  const { status } = await tools.run('book_callback', { phone: '+14155550100', reason: 'asks' });
  return `${status} ${results.length} ${chat.tools(tools).length}`;
};
