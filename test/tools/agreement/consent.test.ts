import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { InvalidArgumentError } from '../../../src/core/errors.ts';
import { type Confirm, createToolbox, defineTool, type ToolCallContext } from '../../../src/tools/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const neither: readonly (readonly [what: string, said: unknown, kind: string])[] = [
  ['a text', 'no', 'a string'],
  ['the text of a yes', 'yes', 'a string'],
  ['the text of true', 'true', 'a string'],
  ['a number', 1, 'a number'],
  ['a big number', 1n, 'a bigint'],
  ['a symbol', Symbol('yes'), 'a symbol'],
  ['null', null, 'null'],
  ['a function', () => true, 'a function'],
  ['a class', Error, 'a function'],
  ['an empty object', {}, 'an object without approved'],
  ['a list', [true], 'an object without approved'],
  ['true as an object', Object(true), 'an object without approved'],
  ['an unread response', Response.json({ approved: true }), 'an object without approved'],
  ['another spelling', { Approved: true }, 'an object without approved'],
  ['approved as a text', { approved: 'no' }, 'an object whose approved is neither true nor false'],
  ['approved as the text of a no', { approved: 'false' }, 'an object whose approved is neither true nor false'],
  ['approved as a number', { approved: 1 }, 'an object whose approved is neither true nor false'],
  ['approved as null', { approved: null }, 'an object whose approved is neither true nor false'],
  ['approved as an object', { approved: Object(true) }, 'an object whose approved is neither true nor false'],
  ['approved later', { approved: Promise.resolve(true) }, 'an object whose approved is neither true nor false'],
];

/** A payment that asks first, and what the developer sees. */
const start = (confirm: Confirm, approve?: () => unknown) => {
  const clock = createVirtualClock();
  const run = vi.fn(() => ({ success: true }));
  const errors: unknown[] = [];
  const toolbox = createToolbox({
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays.',
        parameters: z.object({ amount: z.number() }),
        effect: 'payment',
        confirm,
        run,
      }),
    ],
    approve: approve as never,
    context: { callId: 'CA1' },
    onError: (error) => errors.push(error),
  });
  const pay = (context: ToolCallContext = {}) => toolbox.run('pay', { amount: 5 }, context);
  return {
    clock,
    run,
    pay,
    messages: () => errors.map((error) => error instanceof InvalidArgumentError && error.message),
  };
};

test.each([true, { approved: true }, { approved: true, by: 'Ann' }])('%j is a yes', async (said) => {
  const { pay, run, messages } = start('approve', () => said);

  expect(await pay()).toMatchObject({ status: 'done' });
  expect([run.mock.calls.length, messages()]).toEqual([1, []]);
});

test.each([false, { approved: false }, { approved: false, reason: 'too much' }])('%j is a plain no', async (said) => {
  const { pay, run, messages } = start('approve', () => said);

  expect(await pay()).toMatchObject({ status: 'refused', value: { reason: 'not_approved' } });
  expect([run.mock.calls.length, messages()]).toEqual([0, []]);
});

test.each([...neither, ['nothing', undefined, 'undefined'] as const])(
  'an approve that returns %s refuses, and the developer learns it',
  async (_what, said, kind) => {
    const { pay, run, messages } = start('approve', () => said);

    expect(await pay()).toMatchObject({ status: 'refused', value: { reason: 'not_approved' } });
    expect(run).not.toHaveBeenCalled();
    expect(messages()).toEqual([`approve of pay returned ${kind}: only true or { approved: true } is a yes`]);
  },
);

test.each(neither)('an approve that says %s later refuses, and no call waits', async (_what, said) => {
  const answer = Promise.withResolvers<unknown>();
  const { clock, pay, run, messages } = start('approve', () => answer.promise);
  const onSettled = vi.fn();
  const asked = pay({ onSettled });
  await clock.advance(3_000);
  expect(await asked).toMatchObject({ status: 'waiting' });
  answer.resolve(said);
  await clock.advance(0);
  await clock.advance(0);

  expect(onSettled).toHaveBeenCalledWith(
    expect.objectContaining({ result: expect.objectContaining({ status: 'refused' }) }),
  );
  expect(await pay()).toMatchObject({ status: 'refused', value: { reason: 'not_approved' } });
  expect(run).not.toHaveBeenCalled();
  expect(messages()).toEqual([expect.stringContaining('approve of pay returned')]);
});

test.each(neither)('a context with %s as confirmed still asks the caller', async (_what, said, kind) => {
  const { pay, run, messages } = start('two-step');

  expect(await pay({ confirmed: said as never })).toMatchObject({ value: { error: 'confirmation_required' } });
  expect(run).not.toHaveBeenCalled();
  expect(messages()).toEqual([`confirmed of pay is ${kind}: only true or { approved: true } is a yes`]);
});

test.each(neither)('a context with %s as approved still asks a colleague', async (_what, said, kind) => {
  const { pay, run, messages } = start('approve', () => false);

  expect(await pay({ approved: said as never })).toMatchObject({ value: { reason: 'not_approved' } });
  expect(run).not.toHaveBeenCalled();
  expect(messages()).toEqual([`approved of pay is ${kind}: only true or { approved: true } is a yes`]);
});

test.each(['approved', 'confirmed'] as const)('%s is read from what a framework resumes with', async (field) => {
  const { pay, run } = start(field === 'approved' ? 'approve' : 'two-step', () => false);
  const resumed = { approved: true } as never;

  expect(await pay({ [field]: resumed })).toMatchObject({ status: 'done' });
  expect(run).toHaveBeenCalledTimes(1);
});
