import { expect, test } from 'vitest';
import { AttemptFailedError, QuotaExceededError, RateLimitedError } from '../../../src/core/errors.ts';
import { attemptLog } from '../../../src/http/call-log.ts';
import { markSent } from '../../../src/http/middleware/attempt.ts';
import { createQuota, createUsageLedger, type Quota, spendQuota } from '../../../src/http/middleware/quota.ts';
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

/** The requests left after each of so many. */
const spend = (quota: Quota, times: number) =>
  Array.from({ length: times }, () => {
    const spent = quota.take();
    return spent.taken ? quota.left() : spent;
  });

test('a spent budget says when the next period starts, and is full again then', async () => {
  const clock = createVirtualClock();
  const quota = createQuota({ limit: 2, perMs: 60_000 });
  await clock.advance(5_000);
  expect(quota.left()).toBe(2);
  expect(spend(quota, 2)).toEqual([1, 0]);
  await clock.advance(20_000);
  expect(quota.take()).toEqual({ taken: false, retryAfterMs: 40_000 });
  await clock.advance(40_000);
  expect(quota.left()).toBe(2);
  expect(spend(quota, 1)).toEqual([1]);
});

test('a period starts with its first request', async () => {
  const clock = createVirtualClock();
  const quota = createQuota({ limit: 1, perMs: 1_000 });
  quota.take();
  await clock.advance(1_700);
  expect(spend(quota, 2)).toEqual([0, { taken: false, retryAfterMs: 1_000 }]);
});

test('what is given back can be spent again', () => {
  createVirtualClock();
  const quota = createQuota({ limit: 1, perMs: 1_000 });
  const spent = quota.take();
  if (spent.taken) spent.release();
  expect(quota.left()).toBe(1);
  expect(spend(quota, 2)).toEqual([0, { taken: false, retryAfterMs: 1_000 }]);
});

test('what belongs to the last period is not given to the next, however late it is given back', async () => {
  const clock = createVirtualClock();
  const quota = createQuota({ limit: 2, perMs: 1_000 });
  const spent = quota.take();
  await clock.advance(1_000);
  quota.take();
  if (spent.taken) spent.release();
  expect(quota.left()).toBe(1);
});

test.each([
  [{ limit: 0, perMs: 1 }, 'quota.limit must be a whole number above 0'],
  [{ limit: 1, perMs: 0 }, 'quota.perMs must be a number of milliseconds above 0'],
])('%j is refused when it is made', (limit, message) => {
  expect(() => createQuota({ ...limit })).toThrow(message);
});

test('an API that says its budget is used up is sent nothing for so long, and the longest word counts', async () => {
  const clock = createVirtualClock();
  const ledger = createUsageLedger();
  expect(ledger.heldBackForMs()).toBe(0);

  ledger.holdBack(2_000);
  ledger.holdBack(500);
  expect(ledger.heldBackForMs()).toBe(2_000);
  await clock.advance(1_999);
  expect(ledger.heldBackForMs()).toBe(1);
  await clock.advance(1);
  expect(ledger.heldBackForMs()).toBe(0);
  await clock.advance(10_000);
  expect(ledger.heldBackForMs()).toBe(0);
  ledger.holdBack(700.5);
  expect(ledger.heldBackForMs()).toBe(701);
});

test('an absurd wait of a used-up budget ends after a day', async () => {
  createVirtualClock();
  const ledger = createUsageLedger();
  ledger.holdBack(Number.MAX_SAFE_INTEGER);
  expect(ledger.heldBackForMs()).toBe(24 * 3_600_000);
});

test('what an API says of its budget is kept, the latest alone, and stops no request', () => {
  const ledger = createUsageLedger();
  expect(ledger.last()).toBeUndefined();

  ledger.record({ used: 1, limit: 10 });
  ledger.record({ used: 11, limit: 10 });

  expect([ledger.last(), ledger.heldBackForMs()]).toEqual([{ used: 11, limit: 10 }, 0]);
});
