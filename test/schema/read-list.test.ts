import { expect, test } from 'vitest';
import * as z from '../../src/schema.ts';
import { readId, readList, readNothing, readRecord, ShapeError } from '../../src/schema.ts';

interface Thing {
  readonly id: string;
  readonly size?: number | null | undefined;
}
const schema = z.lazily<Thing>(() => z.looseObject({ id: readId(), size: z.nullish(z.number()) }));
const things = readList(readRecord(schema, ['id']), { under: ['data', 'things'] });
const noDrift = { drift: () => undefined };

test.each([
  ['an empty array', [], { data: [], total: 0 }],
  ['data', { data: [{ id: 'a' }] }, { data: [{ id: 'a' }], total: 1 }],
  ['data with a total_count', { data: [{ id: 'a' }], total_count: 9 }, { data: [{ id: 'a' }], total: 9 }],
  ['another name', { things: [{ id: 'a' }], totalSize: 9 }, { data: [{ id: 'a' }], total: 9 }],
  ['a total below what is there', { data: [{ id: 'a' }], total: 0 }, { data: [{ id: 'a' }], total: 1 }],
  ['a total that is none', { data: [{ id: 'a' }], total: '9' }, { data: [{ id: 'a' }], total: 1 }],
])('a list is read from %s', (_name, json, expected) => {
  expect(things(json, noDrift)).toEqual(expected);
});

test.each([[undefined], [{}], [{ data: {} }]])('%j is no list', (json) => {
  expect(() => things(json, noDrift)).toThrow(new ShapeError('', 'must be a list'));
});

test('an unreadable record is named by its place', () => {
  expect(() => things([{ id: 'a' }, { size: 1 }], noDrift)).toThrow('1.id is not valid');
  expect(() => things([null], noDrift)).toThrow('0 must be an object');
});

test('drift is reported once, with each field once', () => {
  const told: (readonly string[])[] = [];
  const json = [
    { id: 'a', size: 'x' },
    { id: 'b', size: {} },
    { id: 'c', size: 3 },
  ];

  expect(things(json, { drift: (fields) => told.push(fields) }).data).toEqual([
    { id: 'a' },
    { id: 'b' },
    { id: 'c', size: 3 },
  ]);
  expect(told).toEqual([['size']]);
});

test('an id that is a number is given as a text', () => {
  expect(things([{ id: 42 }], noDrift).data).toEqual([{ id: '42' }]);
  expect(() => things([{ id: 4.2 }], noDrift)).toThrow('0.id is not valid');
  expect(() => things([{ id: '' }], noDrift)).toThrow('0.id must not be empty');
});

test('an answer that says nothing may be anything', () => {
  expect([undefined, null, {}, 'ok'].map((json) => readNothing(json, noDrift))).toEqual(Array(4).fill(undefined));
});
