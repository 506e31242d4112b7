import { describe, expect, test, vi } from 'vitest';
import { openaiAgent } from '../../../examples/evals/openai-agent.ts';
import { scriptedAgent } from '../../../src/dev/testing/evals/scripted-agent.ts';
import { type EvalCall, evalCalls, playCall, playCalls } from '../../../src/dev/testing/index.ts';

vi.stubEnv('OPENAI_API_KEY', '');

/** Looks up and does nothing more, whatever the caller wants. */
const idle: EvalCall['script'] = Array.from({ length: 20 }, () => 'Hm.');

/** Pays whatever it finds without asking, and says all that it must not. */
const careless: EvalCall['script'] = [
  { call: 'lookup_customer_invoices' },
  ({ results }) => {
    const [, id, amount] = /"id":"([^"]+)","amount":([\d.]+)/.exec(results.join()) ?? [];
    return { call: 'create_payment', args: { invoice_id: id ?? 'inv_1', amount: Number(amount ?? 120.5) } };
  },
  ...Array.from({ length: 20 }, () => 'That is paid. It failed. Nothing is open: 200, 999. 4242 4242 4242 4242.'),
];

const play = (call: EvalCall) => playCall(openaiAgent, call);

test('each has a name of its own', () => {
  expect(evalCalls.length).toBeGreaterThanOrEqual(25);
  expect(new Set(evalCalls.map(({ name }) => name)).size).toBe(evalCalls.length);
});

test('each passes by its script alone, without a model', async () => {
  const { text, passed } = await playCalls(scriptedAgent);

  expect(text).not.toContain('✘');
  expect(passed).toBe(evalCalls.length);
});

test('the scorecard says what failed, and what the agent said', async () => {
  const [first, second] = evalCalls;
  const { passed, calls, text } = await playCalls(openaiAgent, [
    first as EvalCall,
    { ...(second as EvalCall), script: idle },
  ]);

  expect(passed).toBe(1);
  expect(calls.map(({ failed }) => failed.length)).toEqual([0, 1]);
  expect(text).toBe(
    '✔ pays the oldest of two invoices\n✘ only asks\n    the sum is right: it isn’t so\n    the agent said: Hm. / Hm.\n1 of 2 calls',
  );
});

describe.each(evalCalls)('$name', (call) => {
  test('a good model passes', async () => {
    expect((await play(call)).failed).toEqual([]);
  });

  test('an idle or a careless model is found out', async () => {
    const failed = [await play({ ...call, script: idle }), await play({ ...call, script: careless })];

    expect(failed.flatMap((one) => one.failed)).not.toEqual([]);
  });
});
