import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { createToolbox, defineTool, type ToolOptions } from '../../src/tools/index.ts';

type Options = ToolOptions<object, unknown>;

const parameters = z.object({ amount: z.optional(z.number()) });

const start = (options: Partial<Options>, limits = {}) => {
  const run = vi.fn(() => ({ id: 1 }));
  const errors: unknown[] = [];
  const tool = defineTool({
    name: 'mine',
    description: 'Mine.',
    parameters,
    effect: 'read',
    confirm: false,
    run,
    ...options,
  });
  const toolbox = createToolbox({
    tools: [tool],
    limits,
    context: { callId: 'CA1' },
    onError: (error) => void errors.push(error),
  });
  return { run, errors, ask: (args: object = {}) => toolbox.run('mine', args) };
};

/** As JavaScript has it, and TypeScript for those that may return anything. */
const later = (async () => {
  throw new RangeError('Ann 4242 4242 4242 4242');
}) as unknown as () => never;

const message = (field: string) => ({ message: expect.stringContaining(`${field}() must not be async`) });

test('a compact that is async is an error, and gives the model no empty object', async () => {
  const { errors, ask } = start({ compact: later });

  expect(await ask()).toMatchObject({ status: 'failed', value: { error: 'internal_error' } });
  expect(errors).toMatchObject([message('compact')]);
});

test.each([
  ['is async', later, message('compact')],
  [
    'throws',
    () => {
      throw new RangeError('no');
    },
    { name: 'RangeError' },
  ],
])('a write is done even if its compact %s', async (_name, compact, error) => {
  const { run, errors, ask } = start({ effect: 'write', idempotent: true, compact });

  const results = [await ask(), await ask()];

  for (const result of results) expect(result).toMatchObject({ status: 'done', value: { done: true } });
  expect(run).toHaveBeenCalledOnce();
  expect(errors).toMatchObject([error]);
});

test('a payment is done even if its compact throws', async () => {
  const { run, errors, ask } = start({
    effect: 'payment',
    compact: () => {
      throw new RangeError('no');
    },
  });

  expect(await ask({ amount: 5 })).toMatchObject({ status: 'done', value: { success: true } });
  expect(await ask({ amount: 5 })).toMatchObject({ status: 'done' });
  expect(run).toHaveBeenCalledOnce();
  expect(errors).toMatchObject([{ name: 'RangeError' }]);
});

test.each<[string, Partial<Options>]>([
  ['amount', { amount: later }],
  ['once.what', { once: { what: later } }],
  ['once.by', { once: { what: () => 1, by: later } }],
  ['amount', { amount: later, refundOf: () => ({ id: 'p1', amount: 5 }) }],
])('a payment whose %s is async is not sent', async (field, options) => {
  const { run, errors, ask } = start({ effect: 'payment', ...options });

  expect((await ask({ amount: 5 })).status).toBe('failed');
  expect(run).not.toHaveBeenCalled();
  expect(errors).toMatchObject([message(field)]);
});

const refuse = (): never => {
  throw new InvalidArgumentError('status', 'must be a text');
};

test.each<[string, Partial<Options>, object]>([
  ['outcome is async', { outcome: later }, message('outcome')],
  ['outcome throws', { outcome: refuse }, { field: 'status' }],
  ['wordsSoFar is async', { outcome: () => 'unknown', wordsSoFar: later }, message('wordsSoFar')],
  ['wordsSoFar throws', { outcome: () => 'unknown', wordsSoFar: refuse }, { field: 'status' }],
])('a payment has an unknown end if its %s', async (_name, options, error) => {
  const { errors, ask } = start({ effect: 'payment', ...options });

  expect(await ask({ amount: 5 })).toMatchObject({ status: 'unknown', value: { error: 'payment_status_unknown' } });
  expect(errors).toMatchObject([error]);
});

test.each<[string, () => unknown, object]>([
  ['async', later, message('summarize')],
  ['empty', () => ' ', { field: 'summarize()' }],
  ['undefined', () => undefined, { field: 'summarize()' }],
  ['an object', () => ({}), { field: 'summarize()' }],
])('no caller agrees to a summary that is %s', async (_name, summarize, error) => {
  const { run, errors, ask } = start({ effect: 'write', confirm: 'two-step', summarize: summarize as () => string });

  expect(await ask()).toMatchObject({ status: 'failed', value: { error: 'internal_error' } });
  expect(run).not.toHaveBeenCalled();
  expect(errors).toMatchObject([error]);
});

test.each(['amount', 'compact', 'outcome', 'refundOf', 'summarize', 'wordsSoFar'])('%s must be a function', (field) => {
  const options: Options = {
    name: 'mine',
    description: 'Mine.',
    parameters,
    effect: 'payment',
    confirm: false,
    run: () => 1,
  };
  expect(() => defineTool({ ...options, [field]: 'amount' })).toThrow(`mine.${field} must be a function`);
});

const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
const trap = () => {
  throw new TypeError('trap');
};

test.each<[string, unknown]>([
  ['a revoked proxy', proxy],
  ['a proxy that throws', new Proxy(new Error('x'), { get: trap, getPrototypeOf: trap, has: trap, ownKeys: trap })],
  ['an error whose name throws', Object.defineProperty(new Error('x'), 'name', { get: trap })],
  ['an error whose message throws', Object.defineProperty(new Error('x'), 'message', { get: trap })],
  ['an error whose stack throws', Object.defineProperty(new Error('x'), 'stack', { get: trap })],
  ['nothing', undefined],
])('%s is one warning for each cause', async (_name, thrown) => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const run = () => {
    throw thrown;
  };
  const toolbox = createToolbox({
    tools: [defineTool({ name: 'mine', description: 'Mine.', parameters, effect: 'read', run })],
  });

  for (const callId of ['CA1', 'CA2'])
    expect(await toolbox.run('mine', {}, { callId })).toMatchObject({ status: 'failed' });

  expect(emitWarning).toHaveBeenCalledOnce();
  expect(emitWarning.mock.calls[0]?.[0]).toMatch(/^mine failed in call CA1: it threw \w/);
  emitWarning.mockRestore();
});
