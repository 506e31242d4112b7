import { expect, test } from 'vitest';
import * as z from 'zod';
import { CircuitOpenError, ClientError, RetriesExhaustedError } from '../../src/core/errors.ts';
import { createToolbox, defineTool } from '../../src/tools/index.ts';
import { toErrorAnswer } from '../../src/tools/tool-run.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({ amount: z.number() }),
  effect: 'payment',
  confirm: false,
  run: () => ({ success: true }),
});

test.each<[what: string, error: unknown, outcome: string]>([
  ['a refusal by the API', new ClientError('no', { status: 422, outcome: 'rejected' }), 'rejected'],
  [
    'a refusal after an attempt that may have paid',
    new ClientError('no', { status: 409, outcome: 'unknown' }),
    'unknown',
  ],
  ['a refusal of what was never sent', new ClientError('no', { status: 422, outcome: 'not_sent' }), 'not_sent'],
  [
    'too many requests, which say nothing of the payment',
    new RetriesExhaustedError('429', { reason: 'rate_limited', outcome: 'rejected' }),
    'not_sent',
  ],
  [
    'an answer that never came',
    new RetriesExhaustedError('lost', { reason: 'timeout', outcome: 'unknown' }),
    'unknown',
  ],
  ['an open circuit', new CircuitOpenError('open', { retryAfterMs: 1_000 }), 'not_sent'],
  ['a defect', new TypeError('x'), 'unknown'],
  ['nothing at all', undefined, 'unknown'],
])('%s leaves a payment in the state that it is in', (_what, error, outcome) => {
  expect(toErrorAnswer(pay, error).outcome).toBe(outcome);
});

test.each([
  'File "app.py", line 3',
  'at run (/srv/app.js:10:5)',
  'Traceback: File "/srv/app.py", line 3, in run',
  'main.go:42: panic',
])('a result that quotes %j arrives whole, and a failure does not', async (quoted) => {
  const run = async (result: () => unknown) => {
    const parameters = z.object({});
    const tool = defineTool({ name: 'read_log', description: 'Reads.', parameters, effect: 'read', run: result });
    const { text } = await createToolbox({ tools: [tool], context: { callId: 'CA1' } }).run('read_log', {});
    return text;
  };

  expect(await run(() => ({ log: quoted }))).toBe(JSON.stringify({ log: quoted }));
  expect(
    await run(() => Promise.reject(new ClientError(quoted, { status: 422, details: { log: quoted } }))),
  ).not.toContain(quoted);
});
