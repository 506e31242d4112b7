import { expect, test } from 'vitest';
import { JsonError, maximumJsonDepth, parseJson } from '../../../src/stores/ports/json.ts';

const errorOf = (text: string): JsonError => {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  return expect.unreachable('it should have been refused');
};

test.each([
  ['', undefined],
  [' \r\n', undefined],
  ['"text"', 'text'],
  ['[]', []],
  ['{"a":{"b":[1,null,true]}}', { a: { b: [1, null, true] } }],
  ['{"a":1,"a":2}', { a: 2 }],
])('reads %j', (text, expected) => {
  expect(parseJson(text)).toEqual(expected);
});

test.each([
  '{"a":1,"__proto__":{"isAdmin":true}}',
  '{"a":1,"constructor":{"prototype":{"isAdmin":true}}}',
  '{"\\u005f_proto__":{"isAdmin":true},"a":1}',
  '{"a":1,"__pr\\u006Fto__":{"isAdmin":true}}',
])('no key of %s reaches a prototype', (text) => {
  const value = parseJson(text) as object;
  expect(Reflect.ownKeys(value)).toEqual(['a']);
  expect(Object.assign({}, value)).not.toHaveProperty('isAdmin');
});

test('keys that reach a prototype are left out at every depth, in lists too', () => {
  const text = '[{"a":[{"__proto__":{"x":1},"b":{"constructor":1,"c":[[{"prototype":1}]]}}]}]';
  expect(JSON.stringify(parseJson(text))).toBe('[{"a":[{"b":{"c":[[{}]]}}]}]');
});

test('such words as values stay', () => {
  const text = '{"a":"__proto__","b":["constructor","prototype"],"c":"\\u00e9"}';
  expect(parseJson(text)).toEqual({ a: '__proto__', b: ['constructor', 'prototype'], c: 'é' });
});

test.each([
  ['lists', '['.repeat(200_000) + ']'.repeat(200_000)],
  ['objects with dangerous keys', '{"__proto__":1,"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
])('%s nested 200,000 deep are refused with an error of their own', (_what, text) => {
  const { looksLike, message } = errorOf(text);
  expect({ looksLike, message }).toEqual({ looksLike: 'too deep', message: 'is JSON nested deeper than 200 levels' });
});

test('nesting is allowed up to the limit, however long the rest', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(JSON.stringify(parseJson(nested(maximumJsonDepth)))).toBe(nested(maximumJsonDepth));
  expect(errorOf(nested(maximumJsonDepth + 1)).looksLike).toBe('too deep');
  expect(parseJson(`[${nested(maximumJsonDepth - 1)},[],[]]`)).toHaveLength(3);
  expect(errorOf(`[${nested(maximumJsonDepth)},[],[]]`).looksLike).toBe('too deep');
  expect(parseJson(`[${Array(1_000).fill('{}').join()}]`)).toHaveLength(1_000);
});

test.each([
  ['\n <html>secret', 'html', 'is HTML or XML instead of JSON'],
  ['{"secret":', 'truncated', 'is JSON that ends too early'],
  ['["a\\"', 'truncated', 'is JSON that ends too early'],
  ['"secret', 'truncated', 'is JSON that ends too early'],
  ['secret', 'other', 'is not JSON'],
  ['{"a":1,}', 'other', 'is not JSON'],
])('says what %j looks like, and not what it contains', (text, looksLike, message) => {
  const error = errorOf(text);
  expect({ looksLike: error.looksLike, message: error.message }).toEqual({ looksLike, message });
  expect(`${error.stack}${JSON.stringify(error)}${error.cause}`).not.toContain('secret');
});

test.each([
  ['{"id":9007199254740993}', { id: '9007199254740993' }],
  ['9007199254740993', '9007199254740993'],
  ['{"amount":1e400}', { amount: '1e400' }],
  ['{"deep":[{"ids":[9007199254740993,1]}]}', { deep: [{ ids: ['9007199254740993', 1] }] }],
])('a number that JavaScript cannot hold is read as its digits: %s', (text, expected) => {
  expect(parseJson(text)).toEqual(expected);
});

test.each([
  ['{"id":9007199254740991}', { id: 9007199254740991 }],
  ['{"n":1e21,"m":1e-400,"amount":0.1234567890123456789}', { n: 1e21, m: 0, amount: 0.12345678901234568 }],
])('a number that fits stays one: %s', (text, expected) => {
  expect(parseJson(text)).toEqual(expected);
});

test('a runtime that does not keep the digits refuses the number instead of changing it', ({ onTestFinished }) => {
  const { parse } = JSON;
  onTestFinished(() => {
    JSON.parse = parse;
  });
  JSON.parse = (text, reviver) =>
    parse(text, reviver && ((key, value) => (reviver as (key: string, value: unknown) => unknown)(key, value)));
  expect(errorOf('{"id":9007199254740993}')).toMatchObject({ looksLike: 'too large a number' });
  expect(parseJson('{"id":9007199254740991}')).toEqual({ id: 9007199254740991 });
});
