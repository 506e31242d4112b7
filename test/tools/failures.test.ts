import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  AuthenticationError,
  CircuitOpenError,
  ClientError,
  DeadlineExceededError,
  InvalidArgumentError,
  RetriesExhaustedError,
  UnexpectedResponseError,
} from '../../src/core/errors.ts';
import { invalidArguments, paymentRefused, paymentUnknown, toFailure } from '../../src/tools/failures.ts';
import type { ToolEffect } from '../../src/tools/tool.ts';

const fail = (error: unknown, effect: ToolEffect = 'read', isCancelled = false) =>
  toFailure(error, { effect, idempotent: true, argumentNames: ['amount'], isCancelled });

const after = { retryAfterMs: 1_500 };
const unavailable = (reason: string) => ({ error: 'temporarily_unavailable', reason });

describe('what a model gets when a tool fails', () => {
  test.each<[string, Error, string, object, boolean]>([
    [
      '4xx',
      new ClientError('x', { status: 404, details: { message: 'No such thing' } }),
      'refused',
      { error: 'client_error', details: { message: 'No such thing' } },
      true,
    ],
    [
      'a key that the API refuses',
      new ClientError('x', { status: 401, details: { message: 'Invalid API key: sk_…' } }),
      'refused',
      { error: 'client_error', details: { message: 'Invalid API key: [secret]' } },
      true,
    ],
    [
      'retries',
      new RetriesExhaustedError('x', { reason: 'timeout', ...after }),
      'failed',
      { error: 'max_retries_exceeded', reason: 'timeout', retry_after_seconds: 2 },
      true,
    ],
    ['no time', new DeadlineExceededError('x'), 'failed', unavailable('deadline_exceeded'), true],
    [
      'circuit',
      new CircuitOpenError('x', after),
      'failed',
      { ...unavailable('circuit_open'), retry_after_seconds: 2 },
      true,
    ],
    ['credential', new AuthenticationError('x'), 'failed', unavailable('authentication_failed'), true],
    [
      'a strange answer',
      new UnexpectedResponseError('x', { status: 200 }),
      'failed',
      { error: 'unexpected_response' },
      true,
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
  ])('%s', (_what, error, status, value, isReported) => {
    expect(fail(error)).toEqual({ status, value, isReported });
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

    expect([status, value]).toEqual(['unknown', paymentUnknown({ idempotent: true }).value]);
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

    expect(fail(error, 'read', true)).toEqual({
      status: 'cancelled',
      value: { error: 'cancelled' },
      isReported: false,
    });
    expect(fail(error, 'read', false)).toMatchObject({ value: { error: 'internal_error' }, isReported: true });
  });
});

describe('what an API said', () => {
  const detailsOf = (details: unknown) => fail(new ClientError('x', { status: 400, details })).value['details'];

  test('is given without personal data', () => {
    expect(
      detailsOf({
        message: 'Contact jane@example.com (+14155550100) has card 4242 4242 4242 4242',
        ssn: '078-05-1120',
        contact: { name: 'Jane' },
      }),
    ).toEqual({
      message: 'Contact [email] ([phone]) has card **** **** **** 4242',
    });
    expect(detailsOf({ email: 'is already taken', first_name: 'Jane', card_number: 4242 })).toEqual({
      email: 'is already taken',
    });
  });

  test.each<[details: unknown, told: unknown]>([
    [
      { message: 'connect postgres://root:hunter2@localhost/x failed' },
      { message: 'connect postgres://[secret]@localhost/x failed' },
    ],
    [{ error: 'Bearer eyJhbGciOiJI.eyJzdWIi.c2ln is expired' }, { error: 'Bearer [secret] is expired' }],
    [{ error: 'no key sk_live_51H8xabc' }, { error: 'no key [secret]' }],
    [{ hint: 'the password is hunter2' }, { hint: 'the password is [secret]' }],
    [{ code: 5, api_key: 'abc', nested: { client_secret: 5 } }, { code: 5 }],
    [{ message: 'taxpayer 078-05-1120 is unknown' }, { message: 'taxpayer [ssn] is unknown' }],
    [
      { message: 'x is undefined\n    at run (/srv/app/pay.js:10:5)', stack: 'Error: x', trace: ['/srv/app/pay.js'] },
      { message: 'x is undefined [stack]' },
    ],
    ['password: hunt\u200ber2', 'password: [secret]'],
    [`${'x '.repeat(95)}password: hunter2hunter2`, `${'x '.repeat(95)}password:…`],
  ])('is given without secrets: %j', (details, told) => {
    expect(detailsOf(details)).toEqual(told);
  });

  test('is given in whatever shape it comes', () => {
    expect(detailsOf({ fault: 'No such plan', hint: 'plans: gold, silver', retry: false })).toEqual({
      fault: 'No such plan',
      hint: 'plans: gold, silver',
      retry: false,
    });
    expect(detailsOf([{ name: 'ValidationError', amount: ['is too high'] }])).toEqual([
      { name: 'ValidationError', amount: ['is too high'] },
    ]);
  });

  test('keeps the words of the error when the body is too long', () => {
    const body = { invoice: { lines: Array.from({ length: 30 }, () => 'line '.repeat(30)) }, message: 'It is closed' };

    expect(detailsOf(body)).toEqual({ message: 'It is closed' });
    expect(detailsOf({ fault: 'It is closed', lines: body.invoice.lines })).toMatch(/^It is closed line line /);
  });

  test('is given in the words of common error bodies', () => {
    expect(
      detailsOf({ type: 'error.list', request_id: 'r', errors: [{ code: 'x', message: 'Bad', internal: 1 }] }),
    ).toEqual({
      type: 'error.list',
      errors: [{ code: 'x', message: 'Bad', internal: 1 }],
    });
    expect(detailsOf('Bad request')).toBe('Bad request');
    expect(detailsOf('<html><body>502</body></html>')).toBeUndefined();
    expect(detailsOf({ id: 7 })).toEqual({ id: 7 });
    expect(detailsOf({ id: 14155550100 })).toBeUndefined();
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
    expect(paymentRefused('Bearer abcdef123456 has no rights')).toEqual({
      success: false,
      error: 'Bearer [secret] has no rights',
    });
  });
});

test('what an API says of a payment whose end is unknown is given without secrets', () => {
  const words = `review by jane@example.com, the password is hunter2 ${'x'.repeat(200)}`;

  expect(paymentUnknown({ idempotent: true }, { words }).value['api_says_not_final']).toBe(
    `review by [email], the password is [secret] ${'x'.repeat(75)}…`,
  );
});

test('a refusal is short enough to be read at once, however much is wrong', () => {
  const problems = Array.from({ length: 50 }, (_, index) => ({ field: `field_${index}`, problem: 'x'.repeat(300) }));

  expect(JSON.stringify(invalidArguments(problems).value).length).toBeLessThan(190);
});
