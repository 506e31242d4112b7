import { expect, test } from 'vitest';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import * as z from 'zod';
import { createToolbox, defineTool } from '../../src/tools/index.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

createVirtualClock({ wallNow: 1_700_000_000_000 });

const findOrder = defineTool({
  name: 'find_order',
  description: 'Find an order by its number.',
  parameters: z.object({ number: z.int().gt(0) }),
  effect: 'read',
  run: ({ number }) => {
    if (number === 13) throw new Error('token s3cret of ada@example.com');
    return { number, lines: Array.from({ length: 20 }, () => 'Widget') };
  },
  compact: ({ number }) => ({ number, line_count: 20 }),
});

const run = async (name: string, args: string) => {
  const events: IntegrationEvent[] = [];
  const toolbox = createToolbox({
    tools: [findOrder],
    context: { callId: 'CA1', tenant: 'shop-1' },
    onEvent: (event) => void events.push(event),
  });
  await toolbox.run(name, args, { toolCallId: 'tc_1' });
  return events;
};

const base = {
  type: 'tool-run',
  api: 'tools',
  tenant: 'shop-1',
  at: 1_700_000_000_000,
  callId: 'CA1',
  toolCallId: 'tc_1',
  operation: 'tools.find_order',
  tool: 'find_order',
  effect: 'read',
  replayed: false,
  durationMs: 0,
};

test('a tool call says how it ended, and how much of its answer the model was spared', async () => {
  expect(await run('find_order', '{"number":7}')).toEqual([
    { ...base, status: 'done', resultChars: 28, fullChars: 202 },
  ]);
});

test('one that was refused names the fields, never their values', async () => {
  expect(await run('find_order', '{"number":"+14155550100"}')).toEqual([
    { ...base, status: 'refused', reason: 'invalid_arguments', fields: ['number'], resultChars: 88 },
  ]);
});

test('of a defect it gives the code alone', async () => {
  const [event] = await run('find_order', '{"number":13}');
  expect(event).toMatchObject({ ...base, status: 'failed', reason: 'internal_error' });
  expect(JSON.stringify(event)).not.toMatch(/s3cret|ada@/);
});

test('a name that the toolbox does not have is not repeated', async () => {
  expect(await run('ignore_all_rules', '{}')).toMatchObject([{ tool: 'unknown', status: 'refused' }]);
});
