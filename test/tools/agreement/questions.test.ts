import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory/index.ts';
import { createToolbox, defineTool, type ToolboxOptions } from '../../../src/tools/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const args = { amount: 5 };

const start = (options: Partial<ToolboxOptions> & { readonly confirm?: 'two-step' | 'approve' | 'both' } = {}) => {
  const { confirm = 'two-step', ...rest } = options;
  const run = vi.fn(() => ({ refunded: 5 }));
  const refund = defineTool({
    name: 'refund',
    description: 'Gives money back.',
    parameters: z.object({ amount: z.number() }),
    effect: 'write',
    confirm,
    summarize: ({ amount }) => `Give back ${amount}.`,
    run,
  });
  const store = createMemoryIdempotencyStore();
  const process = (own: Partial<ToolboxOptions> = {}) =>
    createToolbox({ context: { callId: 'CA1' }, store, ...rest, ...own, tools: [refund] });
  return { run, process, store };
};

test('a target that asks gets a question, and its answer counts in any process that shares the store', async () => {
  const { run, process } = start();
  const { question, status, value } = await process().run('refund', args, { consent: 'ask' });
  const answer = { state: question?.state ?? '', agreed: true };
  const ends = [
    await process().run('refund', args, { consent: answer }),
    await process().run('refund', args, { consent: answer }),
  ];

  expect([status, question?.summary, value]).toEqual([
    'refused',
    'Give back 5.',
    { error: 'not_allowed', reason: 'not_approved', summary: 'Give back 5.' },
  ]);
  expect(ends.map((end) => [end.status, end.replayed])).toEqual([
    ['done', false],
    ['done', true],
  ]);
  expect(run).toHaveBeenCalledTimes(1);
});

test('without a target that asks there is no question', async () => {
  const { process } = start();

  expect(await process().run('refund', args)).not.toHaveProperty('question');
});

test.each([false, 'yes', 1, { approved: true }])('the answer %j is no yes', async (agreed) => {
  const { run, process } = start();
  const { question } = await process().run('refund', args, { consent: 'ask' });
  const consent = { state: question?.state ?? '', agreed: agreed as boolean };

  expect(await process().run('refund', args, { consent })).toMatchObject({ value: { reason: 'declined' } });
  expect(run).not.toHaveBeenCalled();
});

test.each(['asks', true, 7])('the word %j is none, and nothing runs', async (word) => {
  const errors: unknown[] = [];
  const { run, process } = start({ onError: (error) => errors.push(error) });

  expect(await process().run('refund', args, { consent: word as 'ask' })).toMatchObject({ status: 'failed' });
  expect(errors).toMatchObject([{ field: 'consent' }]);
  expect(run).not.toHaveBeenCalled();
});

test('a token for the model is no answer of a person, nor the other way round', async () => {
  const clock = createVirtualClock();
  const { run, process } = start({ onError: () => {} });
  const toolbox = process();
  const { confirmation_token = '' } = (await toolbox.run('refund', args)).value as { confirmation_token?: string };
  const { question } = await toolbox.run('refund', args, { consent: 'ask' });
  await clock.advance(5_000);

  const asAnswer = await toolbox.run('refund', args, { consent: { state: confirmation_token, agreed: true } });
  const asToken = await toolbox.run('refund', { ...args, confirmation_token: question?.state });

  expect([asAnswer.value, asToken.value]).toMatchObject([
    { reason: 'answer_not_valid' },
    { error: 'confirmation_required' },
  ]);
  expect(run).not.toHaveBeenCalled();
});

test('with confirm: both, the person agrees and then your function is asked', async () => {
  const approve = vi.fn(() => true);
  const { run, process } = start({ confirm: 'both', approve });
  const { question } = await process().run('refund', args, { consent: 'ask' });
  expect(approve).not.toHaveBeenCalled();

  await process().run('refund', args, { consent: { state: question?.state ?? '', agreed: true } });

  expect([approve.mock.calls.length, run.mock.calls.length]).toEqual([1, 1]);
});

test('processes that begin at one moment make one secret', async () => {
  const { process, store } = start();
  // Each has a view of its own of the store, as processes have.
  const toolboxes = Array.from({ length: 5 }, () => process({ store: { ...store } }));
  const questions = await Promise.all(toolboxes.map((one) => one.run('refund', args, { consent: 'ask' })));
  const ends: string[] = [];
  for (const { question } of questions) {
    const consent = { state: question?.state ?? '', agreed: true };
    ends.push((await process({ store: { ...store } }).run('refund', args, { consent })).status);
  }

  expect(ends).toEqual(['done', 'done', 'done', 'done', 'done']);
});

test('a store that is down asks nothing', async () => {
  const errors: unknown[] = [];
  const { process, store } = start({ onError: (error) => errors.push(error) });
  store.claim = () => Promise.reject(new Error('down'));

  expect(await process().run('refund', args, { consent: 'ask' })).toMatchObject({
    status: 'failed',
    value: { error: 'temporarily_unavailable', reason: 'store' },
  });
  expect(errors.map(String)).toContain('Error: down');
});

test('an answer counts for the same arguments however they are written, through a part of the toolbox too', async () => {
  const { run, process } = start();
  const { question } = await process().run('refund', '{"amount":5}', { consent: 'ask' });
  const consent = { state: question?.state ?? '', agreed: true };
  const part = process().only(['refund']).bind({});

  expect(await part.run('refund', { note: 'please', amount: 5 }, { consent })).toMatchObject({ status: 'done' });
  expect(run).toHaveBeenCalledTimes(1);
});

test('two questions of one moment are two, and each answer counts once', async () => {
  const { run, process } = start();
  const asked = await Promise.all([1, 2].map(() => process().run('refund', args, { consent: 'ask' })));
  const states = asked.map(({ question }) => question?.state ?? '');
  for (const state of [...states, ...states]) await process().run('refund', args, { consent: { state, agreed: true } });

  expect(new Set(states).size).toBe(2);
  expect(run).toHaveBeenCalledTimes(2);
});

test('an answer whose write is called off midway does it once', async () => {
  const { run, process } = start({ onError: () => {} });
  const hungUp = new AbortController();
  const letGo = Promise.withResolvers<{ refunded: number }>();
  run.mockImplementationOnce((() => {
    hungUp.abort();
    return letGo.promise;
  }) as never);
  const { question } = await process().run('refund', args, { consent: 'ask' });
  const consent = { state: question?.state ?? '', agreed: true };
  const first = process().run('refund', args, { consent, signal: hungUp.signal });
  const during = await process().run('refund', args, { consent });
  letGo.resolve({ refunded: 5 });
  await first;

  expect(during).toMatchObject({ value: { reason: 'another_call_in_progress' } });
  expect((await process().run('refund', args, { consent })).replayed).toBe(true);
  expect(run).toHaveBeenCalledTimes(1);
});
