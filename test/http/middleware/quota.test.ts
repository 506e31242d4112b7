import { expect, test } from 'vitest';
import { AttemptFailedError, QuotaExceededError, RateLimitedError } from '../../../src/core/errors.ts';
import { attemptLog } from '../../../src/http/call-log.ts';
import { markSent } from '../../../src/http/middleware/attempt.ts';
import { createQuota, spendQuota } from '../../../src/http/middleware/quota.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { answer } from '../../support/answer.ts';
import { aRequest } from '../../support/request.ts';

const setUp = () => {
  const clock = createVirtualClock();
  const quota = createQuota({ limit: 2, perMs: 60_000 });
  return { clock, quota, layer: spendQuota(quota) };
};

const sent = async (request: HttpRequest) => {
  attemptLog(request).handedOver();
  return answer();
};

test('the attempt beyond the budget is refused by name, and says when the next period starts', async () => {
  const { clock, layer } = setUp();
  await layer(aRequest(), sent);
  await layer(aRequest(), sent);
  await clock.advance(29_500);
  const error = await layer(aRequest(), sent).catch((thrown: unknown) => thrown);
  expect(error).toEqual(
    new QuotaExceededError('messaging.contacts.get was not sent: the quota is spent; the next period starts in 31 s', {
      operation: 'messaging.contacts.get',
      retryAfterMs: 30_500,
    }),
  );
  expect(error).toMatchObject({ outcome: 'not_sent', retryAfterMs: 30_500 });
  await clock.advance(30_500);
  expect(await layer(aRequest(), sent)).toEqual(answer());
});

test('an attempt that was sent is paid for, also when it fails', async () => {
  const { quota, layer } = setUp();
  const failure = new AttemptFailedError('reset', { reason: 'network' });
  const ended = layer(aRequest(), (request) =>
    markSent(request, async () => {
      throw failure;
    }),
  );
  await expect(ended).rejects.toBe(failure);
  expect(quota.left()).toBe(1);
});

test('an attempt that never left is not paid for', async () => {
  const { quota, layer } = setUp();
  const refusal = new RateLimitedError('no place');
  const ended = layer(aRequest(), async () => {
    throw refusal;
  });
  await expect(ended).rejects.toBe(refusal);
  expect(quota.left()).toBe(2);
});
