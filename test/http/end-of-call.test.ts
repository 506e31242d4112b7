import { expect, test } from 'vitest';
import { ClientError } from '../../src/core/errors.ts';
import { deadlineIn } from '../../src/http/deadline.ts';
import { callEvent, completeCallError } from '../../src/http/end-of-call.ts';
import { callLog } from '../../src/http/call-log.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { aRequest, attempted } from '../support/request.ts';

/** A call that began 3 s ago and was rejected once. */
const call = async (different: Partial<HttpRequest> = {}) => {
  const clock = createVirtualClock();
  await clock.advance(1_000);
  const request = aRequest({ deadline: deadlineIn(8_000), ...different });
  attempted(request, new ClientError('refused', { status: 409, outcome: 'rejected' }));
  await clock.advance(3_000);
  return { clock, request };
};
const common = {
  type: 'call',
  operation: 'messaging.contacts.get',
  attempts: 1,
  durationMs: 3_000,
  deadlineMs: 8_000,
  deadlineLeftMs: 5_000,
};

test('the event of a call that ended well has its times, and no empty field', async () => {
  const { request } = await call();

  expect(callEvent(request)).toEqual({ ...common, outcome: 'ok' });
});

test('the event of a call that failed has all that is known of it', async () => {
  const { request } = await call({
    effect: 'unsafe-write',
    idempotencyKey: 'k',
    callId: 'CA1',
  });
  callLog(request).answered(409);
  const error = new ClientError('refused', { status: 409 });

  expect(callEvent(request, error)).toEqual({
    ...common,
    outcome: 'rejected',
    status: 409,
    idempotencyKey: 'k',
    unsafe: true,
    callId: 'CA1',
    error: { code: 'client_error', status: 409 },
  });
});

test.each<[effect: HttpRequest['effect'], idempotencyKey: string | undefined]>([
  ['read', 'k'],
  ['keyed-write', 'k'],
  ['unsafe-write', undefined],
])('the error of a %s says that repeating it is safe with the key %s', async (effect, idempotencyKey) => {
  const { request } = await call({ effect, idempotencyKey: 'k' });

  const error = new ClientError('refused', { status: 409 });
  expect(completeCallError(request, error)).toBe(error);

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
  const request = aRequest();
  const error = new Error('a defect');

  expect(completeCallError(request, error)).toBe(error);
  expect(Object.keys(error)).toEqual([]);
});

test('an error of the application after something was sent says what is known of the call', async () => {
  const { request } = await call({ effect: 'keyed-write', idempotencyKey: 'k' });
  const original = new Error('a defect');

  expect(completeCallError(request, original)).toMatchObject({
    code: 'unexpected_response',
    attempts: 1,
    elapsedMs: 3_000,
    outcome: 'rejected',
    idempotencyKey: 'k',
    original,
  });
});
