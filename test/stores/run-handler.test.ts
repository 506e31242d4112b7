import { expect, test, vi } from 'vitest';
import { type Handled, runHandler } from '../../src/outbox/index.ts';

const circle: Record<string, unknown> = {};
circle['itself'] = circle;

test.each<[what: string, handled: unknown]>([
  ['nothing', undefined],
  ['a moment that is none', { type: 'retry-at', at: Number.NaN }],
  ['no moment', { type: 'retry-at' }],
  ['a moment that never comes', { type: 'retry-at', at: Infinity }],
  ['no reason', { type: 'dead' }],
  ['a note that is no JSON', { type: 'retry-at', at: 0, note: circle }],
])('a handler that answers %s is tried again', async (_what, handled) => {
  const onError = vi.fn();
  const options = { groups: {}, leaseMs: 100, maximumAttempts: 3, onError };
  const lease = { attempt: 1, enqueuedAt: 0, signal: new AbortController().signal };

  const end = await runHandler(async () => handled as Handled, { id: 'm', group: 'g', payload: {} }, lease, options);

  expect(end).toEqual({ type: 'retry-at', at: expect.closeTo(Date.now() + 100, -3) });
  expect(onError).toHaveBeenCalledOnce();
});
