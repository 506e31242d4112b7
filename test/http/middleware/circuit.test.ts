import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  AttemptFailedError,
  CircuitOpenError,
  ClientError,
  DeadlineExceededError,
  UnexpectedResponseError,
} from '../../../src/errors.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../../../src/http/circuit-breaker.ts';
import { compose } from '../../../src/http/compose.ts';
import { guardCircuit, refuseWhenOpen } from '../../../src/http/middleware/circuit.ts';
import { markSent } from '../../../src/http/middleware/mark-sent.ts';
import { limitRate } from '../../../src/http/middleware/rate-limit.ts';
import { spendQuota } from '../../../src/http/middleware/quota.ts';
import { outcomeOf } from '../../../src/http/progress.ts';
import { createQuota } from '../../../src/http/quota.ts';
import type { HttpResponse } from '../../../src/http/response.ts';
import { createMemoryRateLimiter } from '../../../src/stores/memory-rate-limiter.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { answer } from '../../support/answer.ts';
import { aRequest } from '../../support/request.ts';

const setUp = () => {
  const clock = createVirtualClock();
  const breaker = createCircuitBreaker({ clock });
  const throwing = (error: unknown) => async (): Promise<HttpResponse> => {
    throw error;
  };
  const fail = async (error: unknown, times: number) => {
    for (let sent = 0; sent < times; sent += 1) {
      await expect(guardCircuit(breaker)(aRequest(), throwing(error))).rejects.toBe(error);
    }
  };
  return { clock, breaker, fail };
};

const failed = (reason: AttemptFailedError['reason']) => new AttemptFailedError('it failed', { reason });

describe('what counts against the API', () => {
  test.each(['network', 'timeout', 'server_error'] as const)('%s opens the circuit', async (reason) => {
    const { breaker, fail } = setUp();
    await fail(failed(reason), 10);
    expect(breaker.state()).toBe('open');
  });

  test.each([
    ['a 4xx', new ClientError('no', { status: 404 })],
    ['a 429', failed('rate_limited')],
    ['a 4xx that may be repeated', new AttemptFailedError('locked', { reason: 'server_error', status: 400 })],
    ['an abort of the caller', new DOMException('hung up', 'AbortError')],
    ['an abort, as we say it', new AbortedError('hung up')],
    ['a local refusal', new DeadlineExceededError('too late')],
    ['an answer we cannot read', new UnexpectedResponseError('html', { status: 200 })],
    ['a defect of a middleware', new TypeError('x is not a function')],
  ])('%s is neutral', async (_name, error) => {
    const { breaker, fail } = setUp();
    await fail(error, 100);
    await fail(failed('network'), 9);
    expect(breaker.state()).toBe('closed');
    await fail(failed('network'), 1);
    expect(breaker.state()).toBe('open');
  });

  test('answers count for it', async () => {
    const { breaker, fail } = setUp();
    for (let sent = 0; sent < 11; sent += 1) await guardCircuit(breaker)(aRequest(), async () => answer());
    await fail(failed('server_error'), 10);
    expect(breaker.state()).toBe('closed');
    await fail(failed('server_error'), 1);
    expect(breaker.state()).toBe('open');
  });
});

describe('an open circuit', () => {
  const refusedIn4Seconds = new CircuitOpenError(
    'billing.payments.create was not sent: the circuit is open; it lets a probe through in 4 s',
    { operation: 'billing.payments.create', retryAfterMs: 3_500 },
  );

  test.each([
    ['refuseWhenOpen', refuseWhenOpen],
    ['guardCircuit', guardCircuit],
  ])('%s says that nothing was sent and when a probe is let through', async (_name, layer) => {
    const { breaker, fail, clock } = setUp();
    await fail(failed('network'), 10);
    await clock.advance(1_500);
    const request = aRequest({ operation: 'billing.payments.create' });
    const error = await layer(breaker)(request, async () => answer()).catch((thrown: unknown) => thrown);
    expect(error).toEqual(refusedIn4Seconds);
    expect(error).toMatchObject({ outcome: 'not_sent', attempts: 0, retryAfterMs: 3_500 });
  });

  test('says that a probe is out', async () => {
    const { breaker, fail, clock } = setUp();
    await fail(failed('network'), 10);
    await clock.advance(5_000);
    breaker.admit();
    await expect(refuseWhenOpen(breaker)(aRequest(), async () => answer())).rejects.toThrow(
      'messaging.contacts.get was not sent: the circuit is half-open; its probe is out, and another is let through in 10 s at the latest',
    );
  });

  test('the refusal at the door leaves the probe to the guard', async () => {
    const { breaker, fail, clock } = setUp();
    await fail(failed('network'), 10);
    await clock.advance(5_000);
    const send = compose([refuseWhenOpen(breaker), guardCircuit(breaker)], async () => answer());
    expect(await send(aRequest())).toEqual(answer());
    expect(breaker.state()).toBe('closed');
  });

  test('spends neither quota nor a place under the rate limit', async () => {
    const { breaker, fail, clock } = setUp();
    const limiter = createMemoryRateLimiter({ limit: 1, perMs: 1_000, clock });
    const quota = createQuota({ limit: 1, perMs: 1_000, clock });
    await fail(failed('network'), 10);
    const send = compose(
      [refuseWhenOpen(breaker), spendQuota(quota), limitRate({ limiter, key: 'a', clock }), guardCircuit(breaker)],
      async () => answer(),
    );
    await expect(send(aRequest())).rejects.toBeInstanceOf(CircuitOpenError);
    expect([quota.left(), limiter.state().nextFreeInMs]).toEqual([1, 0]);
  });

  test('does not send afterwards what waited for the rate limit when it opened', async () => {
    const { breaker, fail, clock } = setUp();
    const limiter = createMemoryRateLimiter({ limit: 1, perMs: 1_000, clock });
    const quota = createQuota({ limit: 10, perMs: 60_000, clock });
    let sent = 0;
    const send = compose(
      [refuseWhenOpen(breaker), spendQuota(quota), limitRate({ limiter, key: 'a', clock }), guardCircuit(breaker)],
      async ({ progress }) => {
        progress.attempts.push('ok');
        sent += 1;
        return answer();
      },
    );
    const ended = Promise.allSettled([send(aRequest()), send(aRequest())]);
    await clock.advance(500);
    await fail(failed('network'), 9);
    await clock.advance(500);
    expect(await ended).toEqual([
      { status: 'fulfilled', value: answer() },
      { status: 'rejected', reason: expect.any(CircuitOpenError) as unknown },
    ]);
    expect([sent, quota.left()]).toEqual([1, 9]);
  });
});

test('a caller who hangs up during the probe leaves room for the next probe', async () => {
  const { breaker, fail, clock } = setUp();
  await fail(failed('network'), 10);
  await clock.advance(5_000);
  await fail(new AbortedError('hung up'), 1);
  expect(breaker.peek()).toEqual({ admitted: true });
});

test('whoever gives up while a first failure is counted learns what the attempt did', async () => {
  const counted = Promise.withResolvers<void>();
  const breaker: CircuitBreaker = {
    ...createCircuitBreaker({ clock: createVirtualClock() }),
    admit: () => ({ admitted: true, permit: { settle: () => counted.promise } }),
  };
  const error = new AttemptFailedError('refused', { reason: 'network', outcome: 'not_sent' });
  const request = aRequest();
  const end = compose([guardCircuit(breaker), markSent], () => Promise.reject(error))(request);
  await new Promise(setImmediate);
  expect(outcomeOf(request.progress)).toBe('not_sent');
  counted.resolve();
  await expect(end).rejects.toBe(error);
});
