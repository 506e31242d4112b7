import { expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool } from '../../src/tools/index.ts';

const ran: string[] = [];

const toolbox = createToolbox({
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays an invoice.',
      parameters: z
        .object({ customer: z.string(), invoice: z.string(), amount: z.number().gt(0) })
        .refine(({ amount }) => amount < 100, { path: ['amount'], message: 'must be below 100' }),
      effect: 'payment',
      confirm: false,
      bind: {
        customer: () => {
          ran.push('bind');
          return 'cus_1';
        },
      },
      rules: [
        () => {
          ran.push('rule');
          return undefined;
        },
      ],
      run: () => ran.push('run'),
    }),
    defineTool({
      name: 'note',
      description: 'Writes a note.',
      parameters: z.object({ text: z.string().refine((text) => !text.includes('secret'), 'must hold no secret') }),
      effect: 'write',
      run: () => ran.push('run'),
    }),
  ],
});

test.each([
  ['arguments that fit', 'pay', '{"invoice":"inv_1","amount":5}', []],
  ['an amount that is a text', 'pay', { invoice: 'inv_1', amount: '5' }, ['amount must be a number']],
  ['what only the schema itself knows', 'note', { text: 'my secret' }, ['text must hold no secret']],
  ['a card number', 'note', { text: '4242 4242 4242 4242' }, ['text must not hold a card number']],
  ['a tool that is not there', 'refund', {}, ['name is none of the tools of this toolbox']],
])('says what is wrong with %s, and runs nothing', async (_what, name, args, problems) => {
  const checked = await toolbox.validate(name, args);

  const said = checked.ok ? [] : checked.problems.map(({ field, problem }) => `${field} ${problem}`);
  expect({ ok: checked.ok, said, ran }).toEqual({ ok: problems.length === 0, said: problems, ran: [] });
});
