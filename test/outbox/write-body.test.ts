import { expect, test } from 'vitest';
import type { Delivery, Destination } from '../../src/outbox/destination.ts';
import { writeBody } from '../../src/outbox/write-body.ts';
import type { Json } from '../../src/ports/json.ts';

const delivery: Delivery = {
  id: 'CA1:completed',
  event: 'call.completed',
  version: 2,
  publishedAt: '2026-01-01T00:00:00.000Z',
  payload: { callId: 'CA1' },
};
const destination = (options: Partial<Destination>): Destination => ({
  name: 'crm',
  url: 'https://crm.example',
  version: 2,
  ...options,
});

test('a body has the usual names, and the key where a signature covers it', () => {
  expect(writeBody(destination({}), delivery)).toBe(
    '{"id":"CA1:completed","type":"call.completed","version":2,"timestamp":"2026-01-01T00:00:00.000Z","data":{"callId":"CA1"}}',
  );
});

test('the query of a GET holds texts, numbers, truth and null, escaped', () => {
  const body = () => ({ id: 'a b&c', count: 2, isLast: false, none: null });

  expect(writeBody(destination({ method: 'GET', body }), delivery)).toBe('id=a+b%26c&count=2&isLast=false&none=null');
});

test.each<[what: string, content: Json]>([
  ['a list', ['a']],
  ['null', null],
  ['a text', 'a=1'],
  ['an object within', { a: { b: 1 } }],
  ['a list within', { a: [1] }],
])('a GET cannot carry %s', (_what, content) => {
  const problem = {
    code: 'invalid_argument',
    field: 'destination crm: body',
    problem: 'must give a flat object for a GET, which carries it as query',
  };

  expect(() => writeBody(destination({ method: 'GET', body: () => content }), delivery)).toThrow(
    expect.objectContaining(problem),
  );
});

test('a body that JSON cannot hold is refused', () => {
  // What an application without types may return.
  const body = () => undefined as unknown as Json;
  const problem = {
    code: 'invalid_argument',
    field: 'destination crm: body',
    problem: 'must give something JSON can hold',
  };

  expect(() => writeBody(destination({ body }), delivery)).toThrow(expect.objectContaining(problem));
});
