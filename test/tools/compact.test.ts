import { describe, expect, test } from 'vitest';
import { compact, pick } from '../../src/tools/compact.ts';

describe('a result for a model', () => {
  test('is one line of JSON, and the same as data', () => {
    expect(compact({ a: 1, b: [true, null], c: 'x\ny' })).toEqual({
      value: { a: 1, b: [true, null], c: 'x y' },
      text: '{"a":1,"b":[true,null],"c":"x y"}',
    });
  });

  test('has no control characters and none that turn or hide text', () => {
    expect(compact('a\u0000\u202Eb\u200B\u2066c\u{E0041}\u2028d\uD800').value).toBe('a bc d�');
  });

  test('has no noise of floating point', () => {
    expect(
      compact({ sum: 0.1 + 0.2, big: 1e21, odd: Number.NaN, precise: 1234567.891, money: 1.1 * 3, cents: 120.5 }).value,
    ).toEqual({
      sum: 0.3,
      big: 1e21,
      odd: null,
      precise: 1234567.891,
      money: 3.3,
      cents: 120.5,
    });
  });

  test('has the first five of a list, and how many there are', () => {
    const seven = [1, 2, 3, 4, 5, 6, 7];

    expect(compact({ list: seven }).value).toEqual({ list: [1, 2, 3, 4, 5], list_count: 7 });
    expect(compact(seven).value).toEqual({ items: [1, 2, 3, 4, 5], items_count: 7 });
    expect(compact({ list: seven, list_count: 99 }).value).toEqual({ list: [1, 2, 3, 4, 5], list_count: 99 });
  });

  test('has nothing that JSON cannot say', () => {
    const value = { at: new Date(0), big: 12n, run: () => 1, none: undefined, map: new Map([[1, 2]]) };

    expect(compact(value).value).toEqual({ at: '1970-01-01T00:00:00.000Z', big: '12', map: {} });
    expect(compact(undefined)).toEqual({ value: null, text: 'null' });
  });

  test('has the fields that it was given, and not what they would make of an object', () => {
    expect(compact(JSON.parse('{"a":1,"__proto__":{"b":2},"constructor":3}'))).toEqual({
      value: { a: 1, constructor: 3 },
      text: '{"a":1,"constructor":3}',
    });
  });

  test('ends also when it contains itself', () => {
    const value: Record<string, unknown> = { a: 1 };
    value['self'] = value;

    expect(JSON.parse(compact(value).text)).toMatchObject({ a: 1 });
  });

  test('is cut without cutting through its JSON', () => {
    const value = {
      name: 'x'.repeat(900),
      list: Array.from({ length: 9 }, (_, id) => ({ id, text: '😀'.repeat(400) })),
    };
    const { text } = compact(value);

    expect(text.length).toBeLessThanOrEqual(600);
    expect(JSON.parse(text)).toMatchObject({ list_count: 9 });
    expect(text.isWellFormed()).toBe(true);
  });

  test('says when fields had to go', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`a_rather_long_name_${index}`, index]));
    const { text, value } = compact(many);

    expect(text.length).toBeLessThanOrEqual(600);
    expect(value).toMatchObject({ a_rather_long_name_0: 0, truncated: true });
  });

  test('never has more than 1200 characters, whatever is allowed', () => {
    const many = Array.from({ length: 5 }, () => 'x'.repeat(300));

    expect(compact(many, { maxChars: 100_000 }).text.length).toBeLessThanOrEqual(1200);
  });

  test('can be counted in tokens', () => {
    const words = (text: string) => text.split(/\W+/).length;
    const { text } = compact(
      { a: 'one two three four five six seven eight '.repeat(9), b: 1 },
      { maxChars: 60, countTokens: words },
    );

    expect(words(text)).toBeLessThanOrEqual(20);
    expect(() => JSON.parse(text)).not.toThrow();
  });
});

test('picks fields that are there', () => {
  expect(
    pick({ a: 1, b: null, c: undefined, d: 4 } as { a: number }, ['a', 'b', 'c'] as readonly string[] as ['a']),
  ).toEqual({ a: 1 });
  expect(pick(undefined, ['a'])).toEqual({});
});
