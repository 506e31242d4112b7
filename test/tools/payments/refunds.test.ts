import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { InvalidArgumentError, RetriesExhaustedError } from '../../../src/core/errors.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import {
  createToolbox,
  defineTool,
  type OriginalPayment,
  refused,
  type ToolboxOptions,
  type ToolCallContext,
  type ToolOptions,
} from '../../../src/tools/index.ts';

const args = z.object({
  payment_id: z.string(),
  amount: z.union([z.number(), z.string()]),
  note: z.string().optional(),
});
type Refund = z.infer<typeof args>;

/** Processes of one shop that share a store, and the refunds that reached it. */
const start = (
  original: OriginalPayment | undefined,
  own: Partial<ToolOptions<Refund, unknown>> = {},
  toolbox: Partial<ToolboxOptions> = {},
) => {
  const sent: Refund['amount'][] = [];
  const errors: unknown[] = [];
  const store = createMemoryIdempotencyStore();
  const refund = defineTool<Refund, unknown>({
    name: 'refund',
    description: 'Gives money back.',
    parameters: args,
    effect: 'payment',
    confirm: false,
    refundOf: () => original,
    run: ({ amount }) => {
      sent.push(amount);
      return { success: true };
    },
    ...own,
  });
  const process = (payments = {}, context: ToolCallContext = {}) =>
    createToolbox({
      ...toolbox,
      tools: [refund],
      store,
      payments,
      context: { callId: 'CA1', ...context },
      onError: (error) => errors.push(error),
    });
  const ask = (amount: Refund['amount'], more: Partial<Refund> = {}, box = process()) =>
    box.run('refund', { payment_id: 'P1', amount, ...more });
  return { sent, errors, process, ask };
};

const above = { status: 'refused', value: { error: 'invalid_arguments', fields: [{ field: 'amount' }] } };

describe('a refund', () => {
  test.each<[string, OriginalPayment, Refund['amount'], boolean]>([
    ['all of it', { id: 'P1', amount: 100 }, 100, true],
    ['a cent more', { id: 'P1', amount: 100 }, 100.01, false],
    ['a payment as a text', { id: 'P1', amount: '100.00' }, 100, true],
    ['a refund as a text', { id: 'P1', amount: 100 }, '100.01', false],
    ['both as texts', { id: 'P1', amount: '1,000.00' }, '1000', true],
    ['minor units', { id: 'P1', amount: 10_000 }, 10_001, false],
    ['minor units as a text', { id: 'P1', amount: '10000' }, '10000', true],
    ['less than is left', { id: 'P1', amount: 100, refunded: 40.1 }, 59.9, true],
    ['more than is left', { id: 'P1', amount: 100, refunded: '40.10' }, 59.91, false],
    ['nothing refunded so far', { id: 'P1', amount: 0.3, refunded: null }, 0.3, true],
    ['a payment that was given back', { id: 'P1', amount: 100, refunded: 100 }, 0.01, false],
    ['nothing', { id: 'P1', amount: 100 }, 0, false],
    ['a negative amount', { id: 'P1', amount: 100 }, -5, false],
    ['a word', { id: 'P1', amount: 100 }, 'all', false],
  ])('of %s', async (_what, original, amount, isMade) => {
    const { ask, sent } = start(original);
    expect(await ask(amount)).toMatchObject(isMade ? { status: 'done' } : above);
    expect(sent).toEqual(isMade ? [amount] : []);
  });

  test('counts earlier ones of the same payment, in every process, and no other payment', async () => {
    let id = 'P1';
    const { ask, sent } = start(undefined, { refundOf: () => ({ id, amount: 100 }) });
    expect(await ask(60)).toMatchObject({ status: 'done' });
    expect(await ask(60, { note: 'again' })).toMatchObject(above);
    expect(await ask(40)).toMatchObject({ status: 'done' });
    id = 'P2';
    expect(await ask(100)).toMatchObject({ status: 'done' });
    expect(sent).toEqual([60, 40, 100]);
  });

  test('counts one that the API counts too once', async () => {
    let refunded = 0;
    const { ask } = start(undefined, { refundOf: () => ({ id: 'P1', amount: 100, refunded }) });
    await ask(60);
    refunded = 60;
    expect(await ask(40)).toMatchObject({ status: 'done' });
    refunded = 100;
    expect(await ask(1)).toMatchObject(above);
  });

  test('of two at the same moment only what is left is sent', async () => {
    const { ask, sent } = start({ id: 'P1', amount: 100 });
    const ends = await Promise.all([ask(60), ask(50), ask(45)]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['done', 'refused', 'refused']);
    expect(sent).toHaveLength(1);
  });

  test('that was refused makes room, and one that may have been made does not', async () => {
    let end = (): unknown => refused({ error: 'not_yet' });
    const { ask } = start({ id: 'P1', amount: 100 }, { run: () => end() });
    expect(await ask(100)).toMatchObject({ status: 'refused' });
    end = () => {
      throw new RetriesExhaustedError('no answer', { reason: 'network', outcome: 'unknown' });
    };
    expect(await ask(70)).toMatchObject({ status: 'unknown' });
    end = () => ({ success: true });
    expect(await ask(31)).toMatchObject(above);
    expect(await ask(30)).toMatchObject({ status: 'done' });
  });

  test('of a payment that is not known is refused, and one that cannot be read now is not sent', async () => {
    const unknown = start(undefined);
    expect(await unknown.ask(5)).toMatchObject({ status: 'refused' });
    const failing = start(undefined, {
      refundOf: () => Promise.reject(new RetriesExhaustedError('no answer', { reason: 'network' })),
    });
    expect(await failing.ask(5)).toMatchObject({ status: 'failed', value: { success: false } });
    const wrong = start({ id: 'P1', amount: 'all of it' });
    expect(await wrong.ask(5)).toMatchObject({ status: 'failed', value: { error: 'internal_error' } });
    expect(wrong.errors).toEqual([expect.any(InvalidArgumentError)]);
    expect([unknown, failing, wrong].flatMap(({ sent }) => sent)).toEqual([]);
  });

  test('does not count towards what a phone call may pay', async () => {
    const { ask, process } = start({ id: 'P1', amount: 100 });
    expect(await ask(100, {}, process({ perCall: 1 }))).toMatchObject({ status: 'done' });
  });

  test.each([[undefined], [null], [''], [' '], [Number.NaN], [{}]])(
    'of a payment whose id is %j is not sent',
    async (id) => {
      const { ask, sent, errors } = start({ id: id as string, amount: 100 });

      expect(await ask(5)).toMatchObject({ status: 'failed', value: { error: 'internal_error' } });
      expect(errors).toMatchObject([{ field: 'refundOf.id' }]);
      expect(sent).toEqual([]);
    },
  );

  test('is one of a tool that moves money', () => {
    expect(() => start(undefined, { effect: 'write' })).toThrow(
      "refundOf is for refunds, whose effect must be 'payment'",
    );
  });
});

describe('before anyone is asked for a refund', () => {
  const confirmed = (original: OriginalPayment | undefined, own: Partial<ToolOptions<Refund, unknown>> = {}) =>
    start(original, { confirm: 'two-step', idempotent: true, ...own });

  test.each<[string, OriginalPayment | undefined, Refund['amount']]>([
    ['more than the payment', { id: 'P1', amount: 100 }, 100.01],
    ['more than is left', { id: 'P1', amount: 100, refunded: '60' }, 50],
    ['a payment that was given back', { id: 'P1', amount: 100, refunded: 100 }, 1],
    ['no such payment', undefined, 1],
    ['nothing', { id: 'P1', amount: 100 }, 0],
    ['a word', { id: 'P1', amount: 100 }, 'all'],
  ])('%s is refused', async (_what, original, amount) => {
    const { ask, sent } = confirmed(original);

    expect(await ask(amount)).toMatchObject({ status: 'refused', value: { error: 'invalid_arguments' } });
    expect(sent).toEqual([]);
  });

  test('a colleague is not asked either', async () => {
    const approve = vi.fn(() => true);
    const { ask } = start({ id: 'P1', amount: 100 }, { confirm: 'approve' }, { approve });

    expect(await ask(100.01)).toMatchObject(above);
    expect(approve).not.toHaveBeenCalled();
    expect(await ask(100)).toMatchObject({ status: 'done' });
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('a payment that cannot be read now is no reason to ask', async () => {
    const refundOf = () =>
      Promise.reject(new RetriesExhaustedError('down', { operation: 'shop.get', reason: 'network' }));
    const { ask, errors } = confirmed(undefined, { refundOf });

    expect(await ask(10)).toMatchObject({ status: 'failed' });
    expect(errors).toHaveLength(1);
  });

  test('what fits is asked for, and counts nothing', async () => {
    const { ask, sent } = confirmed({ id: 'P1', amount: 100 });
    const results = [await ask(100), await ask(60), await ask(60, { note: 'other' })];

    for (const { value } of results) expect(value).toMatchObject({ error: 'confirmation_required' });
    expect(sent).toEqual([]);
  });

  test('one that was made is asked for as before, not refused as too much', async () => {
    const { ask, process } = confirmed({ id: 'P1', amount: 100 });
    await ask(100, {}, process({}, { confirmed: true }));

    expect(await ask(100)).toMatchObject({ value: { error: 'confirmation_required' } });
    expect(await ask(100, {}, process({}, { confirmed: true }))).toMatchObject({ status: 'done', replayed: true });
    expect(await ask(1)).toMatchObject(above);
  });

  test('one that may have been made is looked into, not refused as too much', async () => {
    const run = () => Promise.reject(new Error('the connection is gone'));
    const { ask, process } = confirmed({ id: 'P1', amount: 100 }, { run });
    expect(await ask(100, {}, process({}, { confirmed: true }))).toMatchObject({ status: 'unknown' });

    expect(await ask(100)).toMatchObject({ value: { error: 'confirmation_required' } });
    expect(await ask(1)).toMatchObject(above);
  });
});

test('a payment whose amount is a text counts towards what a phone call may pay', async () => {
  const { ask, process } = start(undefined, { refundOf: undefined });
  const toolbox = process({ perCall: 100.01 });
  expect(await ask('60.00', {}, toolbox)).toMatchObject({ status: 'done' });
  expect(await ask('40.01', {}, toolbox)).toMatchObject({ value: { reason: 'payment_limit_reached' } });
  expect(await ask('much', {}, toolbox)).toMatchObject({ value: { fields: [{ field: 'amount' }] } });
});

describe('an own payment whose end is unknown', () => {
  test.each([
    ['left out', undefined, ['unknown', 'unknown', 'unknown'], 1],
    ['false', false, ['unknown', 'unknown', 'unknown'], 1],
    ['true', true, ['unknown', 'done', 'done'], 2],
  ])('with `idempotent` %s', async (_what, idempotent, statuses, times) => {
    let runs = 0;
    const { ask, process } = start(undefined, {
      refundOf: undefined,
      idempotent,
      run: () => {
        runs += 1;
        if (runs === 1) throw new Error('the line went dead after the charge');
        return { success: true };
      },
    });
    const toolbox = process();
    const ends = [await ask(5, {}, toolbox), await ask(5, {}, toolbox), await ask(5)];
    expect(ends.map(({ status }) => status)).toEqual(statuses);
    expect(runs).toBe(times);
    expect(ends[0]?.value).toMatchObject({ success: false, error: 'payment_status_unknown' });
    expect(ends[2]?.value).toMatchObject({ success: times > 1 });
  });

  test('what is done is replayed, and what was certainly not made may be asked for again', async () => {
    const ends: unknown[] = [refused({ error: 'busy' }), { success: true }];
    const { ask } = start(undefined, { refundOf: undefined, run: () => ends.shift() });
    const told = [await ask(5), await ask(5), await ask(5)];
    expect(told.map(({ status, replayed }) => [status, replayed])).toEqual([
      ['refused', false],
      ['done', false],
      ['done', true],
    ]);
  });
});
