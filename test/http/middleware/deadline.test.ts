import { describe, expect, test } from 'vitest';
import { ClientError } from '../../../src/core/errors.ts';
import { deadlineIn } from '../../../src/http/deadline.ts';
import { holdDeadline } from '../../../src/http/deadline.ts';
import type { HttpRequest, HttpResponse } from '../../../src/http/request.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { answer } from '../../support/answer.ts';
import { aRequest, attempted } from '../../support/request.ts';

/** A call below the layer that ends when the test says so. */
const setUp = (overrides: Parameters<typeof aRequest>[0] = {}) => {
  const clock = createVirtualClock();
  const caller = new AbortController();
  const below = Promise.withResolvers<HttpResponse>();
  const seen: HttpRequest[] = [];
  const request = aRequest({
    operation: 'billing.payments.create',
    effect: 'keyed-write',
    deadline: deadlineIn(8000),
    signal: caller.signal,
    ...overrides,
  });
  const run = () =>
    holdDeadline()(request, (inner) => {
      seen.push(inner);
      return below.promise;
    });
  return { clock, caller, below, seen, request, run };
};

const settled = async (promise: Promise<unknown>) =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

describe('the deadline', () => {
  test('settles the call on the millisecond, although the layers below do not listen', async () => {
    const { clock, run, seen, request } = setUp();
    attempted(request);
    const end = settled(run());
    let isSettled = false;
    void end.then(() => {
      isSettled = true;
    });
    await clock.advance(7999);
    expect(isSettled).toBe(false);
    await clock.advance(1);
    expect(await end).toMatchObject({
      error: { code: 'max_retries_exceeded', reason: 'deadline', outcome: 'unknown' },
    });
    expect(seen[0]?.signal.aborted).toBe(true);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('says that nothing was sent when the whole time was spent waiting', async () => {
    const { clock, run } = setUp();
    const end = settled(run());
    await clock.advance(8000);
    expect(await end).toMatchObject({ error: { code: 'deadline_exceeded', outcome: 'not_sent' } });
  });

  test('refuses at once what has less time than it needs', async () => {
    const { run, seen } = setUp({
      plan: { minimumBudgetMs: 9000 },
    });
    await expect(run()).rejects.toMatchObject({ code: 'deadline_exceeded', outcome: 'not_sent' });
    expect(seen).toEqual([]);
  });

  test('leaves neither timer nor listener behind when the answer comes', async () => {
    const { clock, run, below, seen, caller } = setUp();
    const end = run();
    below.resolve(answer());
    expect(await end).toEqual(answer());
    expect(clock.pendingTimers()).toBe(0);
    caller.abort();
    expect(seen[0]?.signal.aborted).toBe(false);
  });
});

describe('a caller who gives up', () => {
  test('is released at once, and the layers below are aborted', async () => {
    const { run, caller, seen } = setUp();
    const end = settled(run());
    caller.abort(new Error('hung up'));
    expect(await end).toMatchObject({ error: { code: 'aborted', outcome: 'not_sent' } });
    expect(seen[0]?.signal.aborted).toBe(true);
  });

  test('who gave up before sends nothing', async () => {
    const { run, caller, seen } = setUp();
    caller.abort();
    await expect(run()).rejects.toMatchObject({ code: 'aborted', outcome: 'not_sent' });
    expect(seen).toEqual([]);
  });

  test('does not stop a payment that may have been sent: its end is reported', async () => {
    const ends: Promise<HttpResponse>[] = [];
    const { run, caller, below, seen, request } = setUp({
      plan: { onReleased: (end) => void ends.push(end) },
    });
    const end = settled(run());
    attempted(request);
    caller.abort();
    expect(await end).toMatchObject({ error: { code: 'aborted', outcome: 'unknown' } });
    expect(seen[0]?.signal.aborted).toBe(false);
    below.resolve(answer(200, { status: 'completed' }));
    expect(await ends[0]).toEqual(answer(200, { status: 'completed' }));
  });

  test('stops a payment of which it is known that nothing happened', async () => {
    const ends: unknown[] = [];
    const { run, caller, seen, request } = setUp({
      plan: { onReleased: (end) => void ends.push(end) },
    });
    const end = settled(run());
    attempted(request, new ClientError('refused', { status: 422, outcome: 'rejected' }));
    caller.abort();
    expect(await end).toMatchObject({ error: { code: 'aborted', outcome: 'rejected' } });
    expect(seen[0]?.signal.aborted).toBe(true);
    expect(ends).toEqual([]);
  });
});
