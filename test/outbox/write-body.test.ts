import { expect, test } from 'vitest';
import type { Delivery, Destination } from '../../src/outbox/destination.ts';
import { writeBody } from '../../src/outbox/message.ts';
import type { Json } from '../../src/stores/ports/json.ts';

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
])('a GET cannot carry %s', (_what, content) => {
  const problem = {
    code: 'invalid_argument',
    field: 'destination crm: body',
    problem: 'must give an object for a GET, which carries its fields as query',
  };

  expect(() => writeBody(destination({ method: 'GET', body: () => content }), delivery)).toThrow(
    expect.objectContaining(problem),
  );
});

test('the query of a GET holds lists and objects as JSON, so that it works without a body of your own', () => {
  expect(Object.fromEntries(new URLSearchParams(writeBody(destination({ method: 'GET' }), delivery)))).toEqual({
    id: 'CA1:completed',
    type: 'call.completed',
    version: '2',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: '{"callId":"CA1"}',
  });
});

const cyclic: { itself?: object } = {};
cyclic.itself = cyclic;

// What an application without types may return.
test.each<[what: string, content: unknown]>([
  ['nothing', undefined],
  ['a cycle', cyclic],
])('a body that is %s is refused, since JSON cannot hold it', (_what, content) => {
  for (const method of ['POST', 'GET'] as const)
    expect(() => writeBody(destination({ method, body: () => content as Json }), delivery)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', field: 'destination crm: body' }),
    );
});
