import { expect, test } from 'vitest';
import { livekit } from '../../../src/tools/providers/livekit.ts';
import { startLiveKitTurn } from '../../support/livekit-turn.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';

class ToolError extends Error {}

const connect = () => {
  const { toolbox, ...done } = createPlatformTools();
  return {
    ...done,
    tools: livekit.tools(toolbox.bind({ callId: 'CA1' }), { llm: { tool: (definition) => definition, ToolError } }),
  };
};

test('a tool that changes something is not run twice at once', () => {
  const { tools } = connect();

  expect(Object.entries(tools).map(([name, { onDuplicate }]) => [name, onDuplicate])).toEqual([
    ['who_is_calling', 'allow'],
    ['pay', 'reject'],
    ['add_note', 'reject'],
    ['break_down', 'allow'],
  ]);
  expect(tools['add_note']).toEqual({
    description: 'Adds an internal note.',
    parameters: { type: 'object', properties: { body: { type: 'string' } }, required: ['body'] },
    onDuplicate: 'reject',
    execute: expect.any(Function),
  });
});

test('a slow tool has its words said, and may be talked over while it reads', async () => {
  const { tools } = connect();
  const { asked, ctx } = startLiveKitTurn();

  const result = await tools['who_is_calling']?.execute({}, { ctx, toolCallId: 'call_1' });

  expect(result).toEqual({ callId: 'CA1', verified: 'no' });
  expect(asked).toEqual([['One moment, please.', { delay: 800 }]]);
});

test('a payment cannot be interrupted', async () => {
  const { tools, charges } = connect();
  const { asked, ctx } = startLiveKitTurn();

  const result = await tools['pay']?.execute({ amount: 20 }, { ctx, toolCallId: 'call_1' });

  expect(result).toEqual({ success: true, confirmation_number: 'C-1' });
  expect(asked).toEqual(['disallowInterruptions']);
  expect(charges).toEqual([20]);
});

test('a payment of a turn that was interrupted before is not made', async () => {
  const { tools, charges } = connect();
  const { ctx } = startLiveKitTurn({ isInterrupted: true });

  const paying = tools['pay']?.execute({ amount: 20 }, { ctx, toolCallId: 'call_1' });

  await expect(paying).rejects.toEqual(new ToolError('{"success":false,"error":"cancelled"}'));
  expect(charges).toEqual([]);
});

test('after an update of your own a failure is a value, since LiveKit drops errors then', async () => {
  const { tools } = connect();
  const { ctx } = startLiveKitTurn({ updates: ['Still at it.'] });

  expect(await tools['pay']?.execute({ amount: -1 }, { ctx, toolCallId: 'call_1' })).toMatchObject({
    success: false,
    error: 'invalid_arguments',
  });
});

test.each(['disallowInterruptions', 'filler'] as const)(
  'an older LiveKit without %s is named, and nothing runs',
  async (missing) => {
    const { tools, charges, notes } = connect();
    const { ctx } = startLiveKitTurn();
    Reflect.deleteProperty(ctx, missing);

    for (const [name, args] of [
      ['pay', { amount: 20 }],
      ['add_note', { body: 'x' }],
      ['who_is_calling', {}],
    ] as const)
      await expect(tools[name]?.execute(args, { ctx, toolCallId: 'call_1' })).rejects.toThrow(
        /^livekit\.tools: @livekit\/agents is too old: .* Install 1\.5\.0 or later$/,
      );

    expect([charges, notes]).toEqual([[], []]);
  },
);
