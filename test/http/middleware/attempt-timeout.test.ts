import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { deadlineIn } from '../../../src/http/deadline.ts';
import { authenticate } from '../../../src/http/middleware/authenticate.ts';
import { limitAttemptTime, markSent } from '../../../src/http/middleware/attempt.ts';
import type { HttpResponse, Transport } from '../../../src/http/request.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { aRequest } from '../../support/request.ts';

const ok: HttpResponse = { status: 200, headers: new Map(), text: '' };
const never = () => new Promise<never>(() => {});
const sent =
  (transport: Transport): Transport =>
  (request) =>
    markSent(request, transport);

const limitOf = (timeoutMs: number) => {
  const clock = createVirtualClock();
  return { clock, limit: limitAttemptTime({ attemptTimeoutMs: timeoutMs }) };
};

const timedOut = {
  code: 'attempt_failed',
  reason: 'timeout',
  outcome: 'unknown',
  operation: 'messaging.contacts.get',
  message: 'messaging.contacts.get: attempt 2 had no complete answer within 2000 ms',
};

test('an answer in time passes, and no timer stays', async () => {
  const { clock, limit } = limitOf(2_000);
  expect(await limit(aRequest(), async () => ok)).toBe(ok);
  expect(clock.pendingTimers()).toBe(0);
});

test.each([
  ['five seconds by default', {}, 8_000, 5_000],
  ['what is left of the deadline', {}, 3_000, 2_980],
  ['the whole deadline for a payment', { wholeDeadline: true }, 8_000, 7_980],
  ['what the caller allows', { attemptTimeoutMs: 700 }, 8_000, 700],
])('an attempt has %s', async (_what, plan, deadlineMs, expected) => {
  const clock = createVirtualClock();
  const request = aRequest({
    deadline: deadlineIn(deadlineMs),
    plan,
  });
  const end = limitAttemptTime({ attemptTimeoutMs: undefined })(request, sent(never)).catch(() => performance.now());
  await clock.advance(deadlineMs);
  expect(await end).toBe(expected);
});

test('an attempt that does not listen ends at its time, and not before', async () => {
  const { clock, limit } = limitOf(2_000);
  const caller = new AbortController();
  let isSettled = false;
  const end = limit(aRequest({ attempt: 2, signal: caller.signal }), sent(never)).finally(() => (isSettled = true));
  const ended = expect(end).rejects.toMatchObject(timedOut);

  await clock.advance(1_999);
  expect(isSettled).toBe(false);
  await clock.advance(1);
  await ended;
  expect(caller.signal.aborted).toBe(false);
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
});

test('an attempt that has sent nothing by then was waiting for its credential', async () => {
  const { clock, limit } = limitOf(2_000);
  const ended = expect(limit(aRequest(), never)).rejects.toMatchObject({
    code: 'authentication_failed',
    outcome: 'not_sent',
    message: 'messaging.contacts.get was not sent: its credential source did not answer in time',
  });
  await clock.advance(2_000);
  await ended;
});

test('a middleware of yours that hangs is named', async () => {
  const { clock, limit } = limitOf(2_000);
  const signed = authenticate({ read: async () => ({ headers: {}, secrets: [] }), renew: async () => undefined });
  const ended = expect(limit(aRequest(), (request) => signed(request, never))).rejects.toMatchObject({
    code: 'deadline_exceeded',
    outcome: 'not_sent',
    message: "messaging.contacts.get was not sent: a perAttempt middleware of yours didn't go on within 2000 ms",
  });
  await clock.advance(2_000);
  await ended;
});

test('the caller’s reason passes through, and the timer of what does not listen is freed', async () => {
  const { clock, limit } = limitOf(2_000);
  const caller = new AbortController();
  const end = limit(aRequest({ signal: caller.signal }), never);
  expect(clock.pendingTimers()).toBe(1);
  caller.abort('hung up');
  await expect(end).rejects.toBe('hung up');
  expect(clock.pendingTimers()).toBe(0);
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
});

test('an error of the attempt is its own', async () => {
  const { clock, limit } = limitOf(2_000);
  const error = new Error('no');
  await expect(limit(aRequest(), () => Promise.reject(error))).rejects.toBe(error);
  expect(clock.pendingTimers()).toBe(0);
});
