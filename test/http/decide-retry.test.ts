import { describe, expect, test } from 'vitest';
import { AttemptFailedError, ClientError, type IntegrationError } from '../../src/core/errors.ts';
import { decideRetry, type RetryQuestion } from '../../src/http/middleware/retry.ts';

const failed = (fields: Partial<ConstructorParameters<typeof AttemptFailedError>[1]> = {}) =>
  new AttemptFailedError('failed', { reason: 'server_error', outcome: 'unknown', ...fields });

const ask = (error: IntegrationError, question: Partial<RetryQuestion> = {}) =>
  decideRetry({
    error,
    effect: 'read',
    isPayment: false,
    canLookUp: false,
    sent: 1,
    maximumAttempts: 3,
    remainingMs: 8000,
    minimumBudgetMs: 0,
    backoffMs: 550,
    openForMs: 0,
    ...question,
  });

describe('what is sent again', () => {
  test.each(['network', 'server_error'] as const)('a read after a %s failure, after a back-off', (reason) => {
    expect(ask(failed({ reason }))).toEqual({ retry: true, waitMs: 550, waitReason: 'backoff', lookUpFirst: false });
  });

  test('a write with a key, although it may have been done', () => {
    expect(ask(failed(), { effect: 'keyed-write' })).toMatchObject({ retry: true, lookUpFirst: false });
  });

  test('an unrepeatable write only when it was surely not done', () => {
    expect(
      ask(failed({ outcome: 'rejected', reason: 'rate_limited', retryAfterMs: 1000 }), { effect: 'unsafe-write' }),
    ).toEqual({ retry: true, waitMs: 1000, waitReason: 'retry_after', lookUpFirst: false });
    expect(ask(failed({ outcome: 'not_sent', reason: 'network' }), { effect: 'unsafe-write' })).toMatchObject({
      retry: true,
      lookUpFirst: false,
    });
    expect(ask(failed(), { effect: 'unsafe-write' })).toEqual({ retry: false, reason: 'server_error' });
  });

  test('an unrepeatable write that can be looked up, after looking', () => {
    expect(ask(failed(), { effect: 'unsafe-write', canLookUp: true })).toMatchObject({
      retry: true,
      lookUpFirst: true,
    });
  });
});

describe('what is not sent again', () => {
  test.each(['keyed-write', 'unsafe-write'] as const)('a payment (%s) that was sent and timed out', (effect) => {
    const question = { effect, isPayment: true };
    expect(ask(failed({ reason: 'timeout' }), question)).toEqual({ retry: false, reason: 'timeout' });
    expect(ask(failed({ reason: 'timeout', outcome: 'not_sent' }), question)).toMatchObject({ retry: true });
  });

  test('a refused request', () => {
    expect(ask(new ClientError('refused', { status: 409 }))).toEqual({ retry: false, reason: undefined });
  });

  test('the last attempt that is allowed', () => {
    expect(ask(failed(), { sent: 3 })).toEqual({ retry: false, reason: 'server_error' });
  });

  test('one whose wait does not fit into the remaining time; the wait asked for is passed on', () => {
    expect(ask(failed({ reason: 'rate_limited', retryAfterMs: 120_000 }))).toEqual({
      retry: false,
      reason: 'rate_limited',
      retryAfterMs: 120_000,
    });
    expect(ask(failed(), { remainingMs: 599 })).toEqual({ retry: false, reason: 'server_error' });
    expect(ask(failed(), { remainingMs: 600 })).toMatchObject({ retry: true });
  });

  test('a payment that would have less than its minimum left', () => {
    expect(ask(failed(), { effect: 'keyed-write', minimumBudgetMs: 3000, remainingMs: 3549 })).toMatchObject({
      retry: false,
    });
    expect(ask(failed(), { effect: 'keyed-write', minimumBudgetMs: 3000, remainingMs: 3550 })).toMatchObject({
      retry: true,
    });
  });
});

test('the longer of the back-off and what the server asks for is waited', () => {
  expect(ask(failed({ retryAfterMs: 0 }))).toMatchObject({ retry: true, waitMs: 550, waitReason: 'retry_after' });
  expect(ask(failed({ retryAfterMs: 600 }))).toMatchObject({ retry: true, waitMs: 600, waitReason: 'retry_after' });
});

test('does not wait for an attempt that the circuit will refuse', () => {
  expect(ask(failed(), { openForMs: 5000 })).toEqual({ retry: false, reason: 'circuit_open', retryAfterMs: 5000 });
  expect(ask(failed(), { openForMs: 550 })).toMatchObject({ retry: true });
});
