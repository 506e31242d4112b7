import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  AuthenticationError,
  CircuitOpenError,
  ClientError,
  DeadlineExceededError,
  InvalidArgumentError,
  QuotaExceededError,
  RateLimitedError,
  RetriesExhaustedError,
  UnexpectedResponseError,
} from '../../src/errors.ts';
import { invalidArguments, paymentRefused, paymentUnknown, toFailure } from '../../src/tools/failures.ts';
import type { ToolEffect } from '../../src/tools/tool.ts';

const fail = (error: unknown, effect: ToolEffect = 'read', isCancelled = false) =>
  toFailure(error, { effect, argumentNames: ['amount'], isCancelled });

const after = { retryAfterMs: 1_500 };
const unavailable = (reason: string) => ({ error: 'temporarily_unavailable', reason });

describe('what a model is told when a tool fails', () => {
  test.each<[string, Error, string, object, boolean]>([
    [
      '4xx',
      new ClientError('x', { status: 404, details: { message: 'No such thing' } }),
      'refused',
      { error: 'client_error', details: { message: 'No such thing' } },
      false,
    ],
    ['4xx without a body', new ClientError('x', { status: 404 }), 'refused', { error: 'client_error' }, false],
    [
      'retries',
      new RetriesExhaustedError('x', { reason: 'timeout', ...after }),
      'failed',
      { error: 'max_retries_exceeded', reason: 'timeout', retry_after_seconds: 2 },
      false,
    ],
    ['no time', new DeadlineExceededError('x'), 'failed', unavailable('deadline_exceeded'), false],
    [
      'circuit',
      new CircuitOpenError('x', after),
      'failed',
      { ...unavailable('circuit_open'), retry_after_seconds: 2 },
      false,
    ],
    ['rate limit', new RateLimitedError('x'), 'failed', unavailable('rate_limited'), false],
    ['quota', new QuotaExceededError('x'), 'failed', unavailable('quota_exceeded'), false],
    ['credential', new AuthenticationError('x'), 'failed', unavailable('authentication_failed'), false],
    [
      'a strange answer',
      new UnexpectedResponseError('x', { status: 200 }),
      'failed',
      { error: 'unexpected_response' },
      false,
    ],
    [
      'its own argument',
      new InvalidArgumentError('amount', 'must be greater than 0'),
      'refused',
      { error: 'invalid_arguments', fields: [{ field: 'amount', problem: 'must be greater than 0' }] },
      false,
    ],
    [
      'an argument of the application',
      new InvalidArgumentError('adminId', 'is missing'),
      'failed',
      { error: 'internal_error' },
      true,
    ],
    ['an abort', new AbortedError('x'), 'cancelled', { error: 'cancelled' }, false],
    ['a defect', new TypeError('secret'), 'failed', { error: 'internal_error' }, true],
  ])('%s', (_what, error, status, value, isDefect) => {
    expect(fail(error)).toEqual({ status, value, isDefect });
  });

  test('a payment answers every failure with success: false', () => {
    expect(fail(new ClientError('x', { status: 422 }), 'payment').value).toEqual({
      success: false,
      error: 'client_error',
    });
    expect(fail(new CircuitOpenError('x'), 'payment').value).toEqual({
      success: false,
      ...unavailable('circuit_open'),
    });
    expect(fail(new InvalidArgumentError('amount', 'is missing'), 'payment').value).toMatchObject({ success: false });
    expect(fail(new AbortedError('x'), 'payment', true).value).toEqual({ success: false, error: 'cancelled' });
  });

  test.each([
    new ClientError('x', { status: 409, outcome: 'unknown' }),
    new RetriesExhaustedError('x', { reason: 'timeout', outcome: 'unknown' }),
    new UnexpectedResponseError('x', { status: 200 }),
    new AbortedError('x', { outcome: 'unknown' }),
    new TypeError('x'),
  ])('a payment that may have happened is unknown, whatever the error: $name', (error) => {
    const { status, value } = fail(error, 'payment');

    expect([status, value]).toEqual(['unknown', paymentUnknown().value]);
    expect(value).toMatchObject({ message: expect.stringMatching(/Never say it failed or succeeded/) });
  });

  test('a write that may have happened has the status unknown, and the words of the document', () => {
    const error = new RetriesExhaustedError('x', { reason: 'network', outcome: 'unknown' });

    expect(fail(error, 'write')).toMatchObject({
      status: 'unknown',
      value: { error: 'max_retries_exceeded', reason: 'network' },
    });
  });

  test('a foreign abort error counts as an abort only when the application has aborted', () => {
    const error = new DOMException('x', 'AbortError');

    expect(fail(error, 'read', true)).toEqual({ status: 'cancelled', value: { error: 'cancelled' }, isDefect: false });
    expect(fail(error, 'read', false)).toMatchObject({ value: { error: 'internal_error' }, isDefect: true });
  });
});

describe('what an API said', () => {
  const detailsOf = (details: unknown) => fail(new ClientError('x', { status: 400, details })).value['details'];

  test('is told without personal data', () => {
    expect(
      detailsOf({
        message: 'Contact jane@example.com (+14155550100) has card 4242 4242 4242 4242',
        ssn: '078-05-1120',
        contact: { name: 'Jane' },
      }),
    ).toEqual({ message: 'Contact [email] ([phone]) has card **** **** **** 4242' });
  });

  test('is told in the words of common error bodies', () => {
    expect(
      detailsOf({ type: 'error.list', request_id: 'r', errors: [{ code: 'x', message: 'Bad', internal: 1 }] }),
    ).toEqual({
      type: 'error.list',
      errors: [{ code: 'x', message: 'Bad' }],
    });
    expect(detailsOf('Bad request')).toBe('Bad request');
    expect(detailsOf('<html><body>502</body></html>')).toBeUndefined();
    expect(detailsOf({ id: 7 })).toBeUndefined();
  });

  test('is bounded and one line', () => {
    const text = detailsOf({ errors: Array.from({ length: 9 }, () => ({ message: 'word \u202e\n'.repeat(80) })) });

    expect(JSON.stringify(text).length).toBeLessThan(320);
    expect(JSON.stringify(text)).not.toMatch(/\\n|\u202e/);
  });

  test('about a declined payment is never empty', () => {
    expect(paymentRefused(' \n')).toEqual({ success: false, error: 'The payment was not accepted.' });
    expect(paymentRefused('Card of jane@example.com\u0000 declined')).toEqual({
      success: false,
      error: 'Card of [email] declined',
    });
  });
});

test('a refusal is short enough to be read at once, however much is wrong', () => {
  const problems = Array.from({ length: 50 }, (_, index) => ({ field: `field_${index}`, problem: 'x'.repeat(300) }));

  expect(JSON.stringify(invalidArguments(problems).value).length).toBeLessThan(190);
});
