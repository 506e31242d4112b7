import { expect, test } from 'vitest';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { assertHeaderName, assertHeaderValue, sendableHeaders } from '../../src/http/request.ts';

const problemOf = (run: () => unknown) => {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof InvalidArgumentError ? `${error.field} ${error.problem}` : error;
  }
};

test.each([
  ['a\nb', 'must not contain a line break'],
  ['a\rb', 'must not contain a line break'],
  ['a\0b', 'must not contain control characters or characters beyond Latin-1'],
  ['a\x85b', undefined],
  ['naïve', undefined],
  ['a\tb', undefined],
  ['', undefined],
  ['→', 'must not contain control characters or characters beyond Latin-1'],
  [' a', 'must not begin or end with a space'],
  ['a\t', 'must not begin or end with a space'],
  [7 as unknown as string, 'must be a text'],
])('the value %j: %s', (value, problem) => {
  expect(problemOf(() => assertHeaderValue('idempotency-key', value))).toBe(problem && `idempotency-key ${problem}`);
});

test.each([['x-api-key'], ['__proto__']])('%s is a header name', (name) => {
  expect(problemOf(() => assertHeaderName(name))).toBeUndefined();
});

test.each([[''], ['x key'], ['x\r\nkey']])('%j is no header name', (name) => {
  expect(problemOf(() => assertHeaderName(name))).toBe('headers must have only names made of letters, digits, "-"');
});

test('what belongs to the connection does not come from outside', () => {
  const headers = {
    'x-api-key': 'k',
    'Content-Length': '1',
    'transfer-encoding': 'chunked',
    Host: 'evil.test',
    connection: 'close',
    expect: '100-continue',
    'content-type': 'application/json',
  };
  expect(sendableHeaders(headers)).toEqual({ 'x-api-key': 'k', 'content-type': 'application/json' });
});
