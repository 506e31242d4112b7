import { expect, test } from 'vitest';
import * as z from '../../src/core/schema.ts';
import { readList, readWithin } from '../../src/core/envelope.ts';
import { readId, readNothing, readRecord, ShapeError } from '../../src/core/schema.ts';

interface Thing {
  readonly id: string;
  readonly size?: number | null | undefined;
}
const schema = z.lazily<Thing>(() => z.looseObject({ id: readId(), size: z.nullish(z.number()) }));
const things = readList(readWithin('thing', readRecord(schema, ['id'])), { under: ['things'] });
const noDrift = { drift: () => undefined };
const a = { id: 'a' };

test.each<[string, unknown]>([
  ['an array', [a]],
  ['data', { data: [a] }],
  ['its own name', { things: [a] }],
  ['its own name in other letters', { Things: [a] }],
  ['items', { items: [a] }],
  ['results next to links', { results: [a], links: [] }],
  ['records', { records: [a] }],
  ['rows', { rows: [a] }],
  ['an envelope within one', { data: { things: [a] }, status: 'success' }],
  ['the page of an envelope', { result: { items: [a] } }],
  ['records in envelopes of their own', [{ thing: a }]],
  ['data with no errors', { data: [a], errors: [], error: null }],
])('a list is read from %s', (_name, json) => {
  expect(things(json, noDrift)).toEqual({ data: [a], total: 1 });
});

test('an empty list is one', () => {
  expect(things([], noDrift)).toEqual({ data: [], total: 0 });
  expect(things({ things: [], total: 0 }, noDrift)).toEqual({ data: [], total: 0 });
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['an empty object', {}],
  ['an object under the name of a list', { data: {} }],
  ['a list under a name that says nothing', { friends: [a] }],
  ['a record with items of its own', { id: 'b', items: [a] }],
  ['a record with data of its own', { Id: 7, data: [a] }],
  ['a record in an envelope, with items of its own', { data: { id: 'b', items: [a] } }],
  ['null under the name of a list', { data: null }],
  ['lists that are too deep', { data: { data: { data: [a] } } }],
])('%s is no list', (_name, json) => {
  expect(() => things(json, noDrift)).toThrow(new ShapeError('', 'must be a list'));
});

test.each<[string, unknown, string]>([
  ['two usual names', { data: [a], items: [] }, 'data and items'],
  ['its own name and data', { things: [a], data: [a] }, 'things and data'],
  ['its own name and that of another list', { things: [a], friends: [] }, 'things and friends'],
  ['two lists one level deeper', { data: { items: [a], records: [a] } }, 'items and records'],
])('which list is meant is not guessed: %s', (_name, json, names) => {
  expect(() => things(json, noDrift)).toThrow(new ShapeError('', `must have one list, and has ${names}`));
});

test.each<[string, unknown]>([
  ['errors', { data: [], errors: [{ message: 'down' }] }],
  ['an error', { things: [], error: 'down' }],
  ['an error object, one level higher', { data: { things: [] }, error: { code: 7 } }],
])('an answer with %s next to its list is not an empty list', (_name, json) => {
  expect(() => things(json, noDrift)).toThrow('reports errors with its records');
});

test.each<[string, object, number]>([
  ['total_count', { total_count: 9 }, 9],
  ['totalCount as a text', { totalCount: '9' }, 9],
  ['totalSize', { totalSize: 9 }, 9],
  ['total', { total: 9 }, 9],
  ['total as a text', { total: '9' }, 9],
  ['a total below what is there', { total: 0 }, 1],
  ['a total that is no number', { total: 'many' }, 1],
  ['a total below 0', { total: -9 }, 1],
  ['meta', { meta: { total: 9 } }, 9],
  ['pagination', { pagination: { total_items: 9, page: 1, total_pages: 9 } }, 9],
  ['page', { page: { size: 1, totalElements: 9, totalPages: 9, number: 0 } }, 9],
  ['a count that says that these are all, next to a cursor', { total_count: 1, next_cursor: 'x' }, 1],
])('how many there are is read from %s', (_name, extra, total) => {
  expect(things({ data: [a], ...extra }, noDrift)).toEqual({ data: [a], total });
});

test.each<[string, object]>([
  ['has_more', { has_more: true }],
  ['hasMore in its meta', { meta: { hasMore: true } }],
  ['next', { next: 'https://api.example.com/things?page=2' }],
  ['an object under next', { pages: { next: { starting_after: 'x' } } }],
  ['next in its links', { links: { next: '/things?page=2' } }],
  ['next in _links', { _links: { next: { href: '/things?page=2' } } }],
  ['next_page_token', { next_page_token: 'x' }],
  ['@odata.nextLink', { '@odata.nextLink': 'x' }],
  ['done', { done: false }],
  ['its number of pages', { page: 1, total_pages: 3 }],
  ['its last page', { current_page: 1, last_page: 3 }],
  ['the total of its pages', { pages: { page: 1, total: 3 } }],
  ['a count above what is there', { count: 3 }],
  ['has_more as a text', { has_more: 'true' }],
  ['is_last', { is_last: false }],
  ['complete', { meta: { complete: false } }],
  ['incomplete_results', { incomplete_results: true }],
])('an answer that goes on says so: %s', (_name, extra) => {
  expect(things({ data: [a], ...extra }, noDrift)).toEqual({ data: [a], total: 1, hasMore: true });
});

test.each<[string, object]>([
  ['has_more false', { has_more: false }],
  ['next null', { next: null, previous: null }],
  ['an empty cursor', { next_cursor: '' }],
  ['one page', { page: 1, total_pages: 1 }],
  ['its count', { count: 1 }],
  ['done', { done: true }],
  ['has_more false as a text', { has_more: 'false' }],
  ['an empty object under next', { next: {} }],
  ['is_last', { is_last: 'true' }],
])('an answer that ends is whole: %s', (_name, extra) => {
  expect(things({ data: [a], ...extra }, noDrift)).toEqual({ data: [a], total: 1 });
});

test.each<[string, Record<string, string>, object]>([
  ['X-Total-Count', { 'x-total-count': '9' }, { total: 9 }],
  [
    'a link to the next page',
    { link: '<https://x/?page=2>; rel="next", <https://x/?page=3>; rel="last"' },
    { total: 1, hasMore: true },
  ],
  ['X-Total', { 'x-total': '9' }, { total: 9 }],
  ['Content-Range', { 'content-range': 'items 0-0/9' }, { total: 9 }],
  ['Content-Range without a total', { 'content-range': 'items 0-0/*' }, { total: 1 }],
  ['the next page', { 'x-next-page': '2' }, { total: 1, hasMore: true }],
  ['no next page', { 'x-next-page': '', 'x-total-pages': '1', 'x-has-more': 'false' }, { total: 1 }],
  ['a number of pages', { 'x-total-pages': '3' }, { total: 1, hasMore: true }],
  ['X-Has-More', { 'x-has-more': 'true' }, { total: 1, hasMore: true }],
  ['a link to itself', { link: '<https://x/?page=1>; rel="self"' }, { total: 1 }],
])('a bare array is only a part where its headers say so: %s', (_name, headers, expected) => {
  expect(things([a], { ...noDrift, header: (name) => headers[name] })).toEqual({ data: [a], ...expected });
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

const thing = readWithin('thing', readRecord(schema, ['id']));

test.each<[string, unknown]>([
  ['by itself', a],
  ['under its name', { thing: a }],
  ['under data', { data: a, meta: {} }],
  ['under result', { result: a, success: true }],
  ['one level deeper', { data: { thing: a } }],
])('a record is read %s', (_name, json) => {
  expect(thing(json, noDrift)).toEqual(a);
});

test('a record with fields called data and item is read as itself', () => {
  const json = { id: 'a', data: { id: 'b' }, item: { id: 'c' } };

  expect(thing(json, noDrift)).toEqual(json);
});

test.each<[string, unknown, string]>([
  ['two records', { thing: a, data: { id: 'b' } }, 'must have one record, and has thing and data'],
  ['an error next to it', { thing: a, error: 'stale' }, 'reports errors with its records'],
  ['null', { data: null }, 'must be an object'],
  ['another name', { friend: a }, 'id is not valid'],
  ['a list', { data: [a] }, 'id is not valid'],
])('a record is not guessed from %s', (_name, json, problem) => {
  expect(() => thing(json, noDrift)).toThrow(problem);
});
