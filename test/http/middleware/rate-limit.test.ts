import { expect, test } from 'vitest';
import { AttemptFailedError, RateLimitedError } from '../../../src/core/errors.ts';
import { attemptLog } from '../../../src/http/call-log.ts';
import { deadlineIn } from '../../../src/http/deadline.ts';
import { limitRate } from '../../../src/http/middleware/rate-limit.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { createMemoryRateLimiter } from '../../../src/stores/memory-rate-limiter.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { answer } from '../../support/answer.ts';
import { aRequest } from '../../support/request.ts';

const setUp = (limit = 1) => {
  const clock = createVirtualClock();
  const limiter = createMemoryRateLimiter({ limit, perMs: 1_000 });
  const layer = limitRate({ limiter, key: 'tenant' });
  const sent: [operation: string, at: number][] = [];
  const send = (request: HttpRequest) =>
    layer(request, async ({ operation }) => {
      sent.push([operation, performance.now()]);
      return answer();
    });
  const request = (different: Parameters<typeof aRequest>[0] = {}) =>
    aRequest({ deadline: deadlineIn(8_000), ...different });
  return { clock, limiter, layer, send, sent, request };
};

test('a request that waited says so to its event, one that did not says nothing', async () => {
  const { clock, send, request } = setUp();
  const first = request();
  const second = request();
  await send(first);
  await clock.advance(250);
  const ended = send(second);
  await clock.advance(1_000);
  expect(await ended).toEqual(answer());
  expect([attemptLog(first).waits, attemptLog(second).waits]).toEqual([[], [{ reason: 'rate_limit', ms: 750 }]]);
});

test('a wait that does not fit into the deadline is refused at once, by name', async () => {
  const { send, sent, request, limiter } = setUp();
  await send(request());
  const hasty = request({ operation: 'billing.payments.create', deadline: deadlineIn(999) });
  const error = await send(hasty).catch((thrown: unknown) => thrown);
  expect(error).toEqual(
    new RateLimitedError('billing.payments.create was not sent: the next place under the rate limit is free in 1 s', {
      operation: 'billing.payments.create',
      retryAfterMs: 1_000,
    }),
  );
  expect(error).toMatchObject({ outcome: 'not_sent', retryAfterMs: 1_000 });
  expect([sent.length, limiter.state().waiting]).toEqual([1, 0]);
});

test('a payment does not wait into the time that it needs to be sent', async () => {
  const { send, request } = setUp();
  await send(request());
  const payment = request({
    deadline: deadlineIn(3_500),
    plan: { minimumBudgetMs: 3_000 },
  });
  await expect(send(payment)).rejects.toBeInstanceOf(RateLimitedError);
});

test.each([
  ['a 429 that says how long pauses all calls of the app', { reason: 'rate_limited', retryAfterMs: 7_000 }, 7_000],
  ['a 429 that does not say is left to the retry', { reason: 'rate_limited' }, 0],
  ['a 503 that says how long pauses only its own call', { reason: 'server_error', retryAfterMs: 7_000 }, 0],
] as const)('%s', async (_name, fields, pausedForMs) => {
  const { layer, limiter, request } = setUp(10);
  const error = new AttemptFailedError('refused', fields);
  await expect(
    layer(request(), async () => {
      throw error;
    }),
  ).rejects.toBe(error);
  expect(limiter.state().pausedForMs).toBe(pausedForMs);
});
