import { expect, test } from 'vitest';
import { ClientError } from '../../src/errors.ts';
import { deadlineIn } from '../../src/http/deadline.ts';
import { callEvent, completeCallError } from '../../src/http/end-of-call.ts';
import { startProgress } from '../../src/http/progress.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { aRequest } from '../support/request.ts';

/** A call that began 3 s ago and was rejected once. */
const call = async (different: Partial<HttpRequest> = {}) => {
  const clock = createVirtualClock();
  await clock.advance(1_000);
  const progress = { ...startProgress(clock.now()), attempts: ['rejected' as const] };
  const request = aRequest({ deadline: deadlineIn(8_000, { clock }), progress, ...different });
  await clock.advance(3_000);
  return { clock, request };
};
const told = {
  type: 'call',
  operation: 'messaging.contacts.get',
  attempts: 1,
  durationMs: 3_000,
  deadlineMs: 8_000,
  deadlineLeftMs: 5_000,
};

test('a call that ended well is told with its times, and nothing that it has not', async () => {
  const { clock, request } = await call();

  expect(callEvent(request, clock)).toStrictEqual({ ...told, outcome: 'ok' });
});

test('a call that failed is told with all that is known of it', async () => {
  const { clock, request } = await call({
    effect: 'unsafe-write',
    idempotencyKey: 'k',
    plan: { lane: 'live', wholeDeadline: false, minimumBudgetMs: 0, callId: 'CA1' },
  });
  request.progress.status = 409;
  request.progress.isShared = true;
  const error = new ClientError('refused', { status: 409 });

  expect(callEvent(request, clock, error)).toStrictEqual({
    ...told,
    outcome: 'rejected',
    status: 409,
    idempotencyKey: 'k',
    unsafe: true,
    shared: true,
    callId: 'CA1',
    error: { code: 'client_error', status: 409 },
  });
});

test.each<[effect: HttpRequest['effect'], idempotencyKey: string | undefined]>([
  ['read', 'k'],
  ['keyed-write', 'k'],
  ['unsafe-write', undefined],
])('the error of a %s says that repeating it is safe with the key %s', async (effect, idempotencyKey) => {
  const { clock, request } = await call({ effect, idempotencyKey: 'k' });

  const error = new ClientError('refused', { status: 409 });
  expect(completeCallError(request, error, clock)).toBe(error);

  const { operation, attempts, elapsedMs, outcome } = error;
  expect({ operation, attempts, elapsedMs, outcome, idempotencyKey: error.idempotencyKey }).toEqual({
    operation: 'messaging.contacts.get',
    attempts: 1,
    elapsedMs: 3_000,
    outcome: 'rejected',
    idempotencyKey,
  });
});

test('an error of the application stays as it is when nothing was sent', async () => {
  const { clock, request } = await call({ progress: startProgress(0) });
  const error = new Error('a defect');

  expect(completeCallError(request, error, clock)).toBe(error);
  expect(Object.keys(error)).toEqual([]);
});

test('an error of the application after something was sent says what is known of the call', async () => {
  const { clock, request } = await call({ effect: 'keyed-write', idempotencyKey: 'k' });
  const original = new Error('a defect');

  expect(completeCallError(request, original, clock)).toMatchObject({
    code: 'unexpected_response',
    attempts: 1,
    elapsedMs: 3_000,
    outcome: 'rejected',
    idempotencyKey: 'k',
    original,
  });
});
