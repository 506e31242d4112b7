import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { ClientError, UnexpectedResponseError } from '../../../src/core/errors.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { createToolbox, defineTool, type ToolCallContext } from '../../../src/tools/index.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const person = { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } } as const;

/** Processes with one store, in which a framework had a person asked. */
const start = (effect: 'write' | 'payment', run: () => unknown = () => ({ refunded: 5 })) => {
  const store = createMemoryIdempotencyStore();
  let runs = 0;
  const startProcess = () => {
    const refund = defineTool({
      name: 'refund',
      description: 'Gives money back.',
      parameters: z.object({ amount: z.number() }),
      effect,
      confirm: 'approve',
      run: () => {
        runs += 1;
        return run();
      },
    });
    const toolbox = createToolbox({
      tools: [refund],
      store,
      approve: 'framework',
      onError: () => {},
      context: person,
    });
    return (context: ToolCallContext = {}) =>
      toolbox.run('refund', { amount: 5 }, { toolCallId: 'call_1', approved: true, ...context });
  };
  return { store, startProcess, runs: () => runs };
};

test('a saved approval runs once, however late and wherever it comes again', async () => {
  const { startProcess, runs } = start('write');
  const first = startProcess();
  expect((await first()).value).toEqual({ refunded: 5 });

  vi.advanceTimersByTime(20 * 24 * 60 * 60 * 1000);
  for (const process of [first, startProcess()])
    expect(await process()).toMatchObject({
      status: 'done',
      replayed: true,
      value: { refunded: 5, already_done: true },
    });
  expect(runs()).toBe(1);
});

test('a payment with a saved approval is made once, also after its window', async () => {
  const { startProcess, runs } = start('payment');
  await startProcess()();

  vi.advanceTimersByTime(3 * 24 * 60 * 60 * 1000);
  expect((await startProcess()()).value).toMatchObject({ already_paid: true });
  expect(runs()).toBe(1);
});

test('another approved call is another one: another id, caller or tenant', async () => {
  const { startProcess, runs } = start('write');
  const run = startProcess();
  await run();
  await run({ toolCallId: 'call_2' });
  await run({ tenant: 'acme' });
  await run({ toolCallId: '' });
  await run({ toolCallId: '' });

  expect(runs()).toBe(5);
});

test('one whose end is unknown is not done again, and stays unknown', async () => {
  const { startProcess, runs } = start('write', () => {
    throw new UnexpectedResponseError('the answer was cut', {});
  });
  await startProcess()();

  expect(await startProcess()()).toMatchObject({ status: 'unknown', value: { error: 'unexpected_response' } });
  expect(runs()).toBe(1);
});

test('one that was refused may be run again', async () => {
  const { startProcess, runs } = start('write', () => {
    throw new ClientError('no', { status: 409, details: undefined });
  });
  await startProcess()();

  expect((await startProcess()()).status).toBe('refused');
  expect(runs()).toBe(2);
});

test('while it runs, and after a process died in the middle, it is not started again', async () => {
  const { startProcess, runs } = start('write', () => new Promise(() => {}));
  void startProcess()();
  await vi.advanceTimersByTimeAsync(0);
  expect(runs()).toBe(1);

  await vi.advanceTimersByTimeAsync(60 * 60 * 1000);
  expect((await startProcess()()).value).toMatchObject({ reason: 'another_call_in_progress' });
  expect(runs()).toBe(1);
});

test('without its store nothing is done', async () => {
  const { store, startProcess, runs } = start('write');
  vi.spyOn(store, 'claim').mockRejectedValue(new Error('down'));

  expect((await startProcess()()).value).toMatchObject({ reason: 'store' });
  expect(runs()).toBe(0);
});
