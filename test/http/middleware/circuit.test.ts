import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  AttemptFailedError,
  CircuitOpenError,
  ClientError,
  DeadlineExceededError,
  UnexpectedResponseError,
} from '../../../src/core/errors.ts';
import { attemptLog } from '../../../src/http/call-log.ts';
import { type Circuits, createCircuits, guardCircuit, refuseWhenOpen } from '../../../src/http/middleware/circuit.ts';
import { limitRate } from '../../../src/http/middleware/rate-limit.ts';
import { createQuota, spendQuota } from '../../../src/http/middleware/quota.ts';
import { compose, type HttpRequest, type HttpResponse } from '../../../src/http/request.ts';
import { createMemoryRateLimiter } from '../../../src/stores/memory-rate-limiter.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { answer } from '../../support/answer.ts';
import { aRequest, attempted } from '../../support/request.ts';

const setUp = () => {
  const clock = createVirtualClock();
  const breaker = createCircuits({});
  const throwing = (error: unknown) => async (): Promise<HttpResponse> => {
    throw error;
  };
  const fail = async (error: unknown, times: number) => {
    for (let sent = 0; sent < times; sent += 1) {
      await expect(guardCircuit(breaker)(given(1_000), throwing(error))).rejects.toBe(error);
    }
  };
  const send = (request = aRequest(), answering = async () => answer()) =>
    compose([refuseWhenOpen(breaker), guardCircuit(breaker)], answering)(request);
  return { clock, breaker, fail, send };
};

const failed = (reason: AttemptFailedError['reason']) => new AttemptFailedError('it failed', { reason });

/** An attempt that had so much time. */
const given = (timeoutMs: number, different: Partial<HttpRequest> = {}): HttpRequest => {
  const request = aRequest(different);
  attemptLog(request).limitedTo(timeoutMs);
  return request;
};

describe('what counts against the API', () => {
  test.each(['network', 'timeout', 'server_error'] as const)('%s opens the circuit', async (reason) => {
    const { breaker, fail } = setUp();
    await fail(failed(reason), 8);
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
  ])('%s counts as a success', async (_name, error) => {
    const { breaker, fail } = setUp();
    await fail(error, 100);
    await fail(failed('network'), 99);
    expect(breaker.state()).toBe('closed');
    await fail(failed('network'), 1);
    expect(breaker.state()).toBe('open');
  });

  const timeOut = async () => {
    throw failed('timeout');
  };

  test('a wait for a socket of our own does not count', async () => {
    const { breaker, send } = setUp();
    for (let sent = 0; sent < 30; sent += 1) {
      const waiting = given(5_000);
      attemptLog(waiting).reached('queued');
      await expect(send(waiting, timeOut)).rejects.toThrow('it failed');
    }
    expect(breaker.state()).toBe('closed');
  });

  test('a time-out of less than a second does not count while nothing is known of the operation', async () => {
    const { breaker, send } = setUp();
    for (let sent = 0; sent < 30; sent += 1) await expect(send(given(999), timeOut)).rejects.toThrow('it failed');
    expect(breaker.state()).toBe('closed');
  });

  test('a time-out counts unless the attempt had less than the operation usually takes', async () => {
    const { breaker, send, clock } = setUp();
    for (let sent = 0; sent < 20; sent += 1) {
      const end = send(aRequest(), async () => {
        await clock.advance(1_500);
        return answer();
      });
      await end;
    }
    await clock.advance(30_000);
    for (let sent = 0; sent < 30; sent += 1) await expect(send(given(1_400), timeOut)).rejects.toThrow('it failed');
    expect(breaker.state()).toBe('closed');
    await clock.advance(30_000);
    for (let sent = 0; sent < 8; sent += 1) await expect(send(given(1_500), timeOut)).rejects.toThrow('it failed');
    expect(breaker.state()).toBe('open');
  });

  test('an endpoint that always fails closes no other one', async () => {
    const { send } = setUp();
    const failing = () => Promise.reject(failed('server_error'));
    for (let sent = 0; sent < 8; sent += 1)
      await expect(send(aRequest({ operation: 'crm.reports.run' }), failing)).rejects.toThrow('it failed');
    await expect(send(aRequest({ operation: 'crm.reports.get' }))).rejects.toThrow(CircuitOpenError);
    expect(await send(aRequest({ operation: 'crm.leads.search' }))).toEqual(answer());
  });

  test('answers count for it', async () => {
    const { breaker, fail } = setUp();
    for (let sent = 0; sent < 8; sent += 1) await guardCircuit(breaker)(aRequest(), async () => answer());
    await fail(failed('server_error'), 7);
    expect(breaker.state()).toBe('closed');
    await fail(failed('server_error'), 1);
    expect(breaker.state()).toBe('open');
  });
});

describe('an open circuit', () => {
  const refusedIn4Seconds = new CircuitOpenError(
    'messaging.contacts.create was not sent: the circuit is open; it lets a probe through in 4 s',
    { operation: 'messaging.contacts.create', retryAfterMs: 3_500 },
  );

  test.each([
    ['refuseWhenOpen', refuseWhenOpen],
    ['guardCircuit', (breaker: Circuits) => guardCircuit(breaker)],
  ])('%s says that nothing was sent and when a probe is let through', async (_name, layer) => {
    const { breaker, fail, clock } = setUp();
    await fail(failed('network'), 8);
    await clock.advance(1_500);
    const request = aRequest({ operation: 'messaging.contacts.create' });
    const error = await layer(breaker)(request, async () => answer()).catch((thrown: unknown) => thrown);
    expect(error).toEqual(refusedIn4Seconds);
    expect(error).toMatchObject({ outcome: 'not_sent', attempts: 0, retryAfterMs: 3_500 });
  });

  test('says that a probe is out', async () => {
    const { fail, clock, send } = setUp();
    await fail(failed('network'), 8);
    await clock.advance(5_000);
    const probe = Promise.withResolvers<HttpResponse>();
    const probing = send(aRequest(), () => probe.promise);
    await expect(send()).rejects.toThrow(
      'messaging.contacts.get was not sent: the circuit is half-open, and its probe has no answer yet',
    );
    probe.resolve(answer());
    await probing;
    expect(await send()).toEqual(answer());
  });

  test('the refusal at the door leaves the probe to the guard', async () => {
    const { breaker, fail, clock } = setUp();
    await fail(failed('network'), 8);
    await clock.advance(5_000);
    const send = compose([refuseWhenOpen(breaker), guardCircuit(breaker)], async () => answer());
    expect(await send(aRequest())).toEqual(answer());
    expect(breaker.state()).toBe('closed');
  });

  test('spends neither quota nor a place under the rate limit', async () => {
    const { breaker, fail } = setUp();
    const limiter = createMemoryRateLimiter({ limit: 1, perMs: 1_000 });
    const quota = createQuota({ limit: 1, perMs: 1_000 });
    await fail(failed('network'), 8);
    const send = compose(
      [refuseWhenOpen(breaker), spendQuota(quota), limitRate({ limiter, key: 'a' }), guardCircuit(breaker)],
      async () => answer(),
    );
    await expect(send(aRequest())).rejects.toBeInstanceOf(CircuitOpenError);
    expect([quota.left(), limiter.state().nextFreeInMs]).toEqual([1, 0]);
  });

  test('does not send afterwards what waited for the rate limit when it opened', async () => {
    const { breaker, fail, clock } = setUp();
    const limiter = createMemoryRateLimiter({ limit: 1, perMs: 1_000 });
    const quota = createQuota({ limit: 10, perMs: 60_000 });
    let sent = 0;
    const send = compose(
      [refuseWhenOpen(breaker), spendQuota(quota), limitRate({ limiter, key: 'a' }), guardCircuit(breaker)],
      async (request) => {
        attempted(request, 'ok');
        sent += 1;
        return answer();
      },
    );
    const ended = Promise.allSettled([send(aRequest()), send(aRequest())]);
    await clock.advance(500);
    await fail(failed('network'), 7);
    await clock.advance(500);
    expect(await ended).toEqual([
      { status: 'fulfilled', value: answer() },
      { status: 'rejected', reason: expect.any(CircuitOpenError) as unknown },
    ]);
    expect([sent, quota.left()]).toEqual([1, 9]);
  });
});

test('a probe whose caller hangs up shows nothing: the circuit stays open for its time', async () => {
  const { breaker, fail, clock } = setUp();
  await fail(failed('network'), 8);
  await clock.advance(5_000);
  await fail(new AbortedError('hung up'), 1);
  expect([breaker.state(), breaker.retryAfterMs()]).toEqual(['open', 5_000]);
  await clock.advance(5_000);
  expect(breaker.state()).toBe('half-open');
});

test('an API that hangs from the start opens its circuit within ten calls of 3 s', async () => {
  const { breaker, send, clock } = setUp();
  const hang = async () => {
    await clock.advance(2_980);
    throw failed('timeout');
  };
  let calls = 0;
  for (; breaker.state() === 'closed'; calls += 1) await expect(send(given(2_980), hang)).rejects.toThrow('it failed');
  expect(calls).toBeLessThanOrEqual(10);
});
