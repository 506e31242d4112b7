import { expect, test } from 'vitest';
import * as z from 'zod';
import { CircuitOpenError, ClientError, RetriesExhaustedError } from '../../src/errors.ts';
import { defineTool } from '../../src/tools/index.ts';
import { toErrorAnswer } from '../../src/tools/tool-run.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({ amount: z.number() }),
  effect: 'payment',
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
