import { describe, expect, test } from 'vitest';
import { deadlineIn } from '../../src/http/deadline.ts';
import { callLog } from '../../src/http/call-log.ts';
import type { Operation, RequestOptions } from '../../src/http/operation.ts';
import { path } from '../../src/http/path.ts';
import { prepareRequest } from '../../src/http/prepare-request.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

createVirtualClock();
const prepare = (
  operation: Partial<Operation<unknown>> = {},
  call: RequestOptions = {},
  idempotency: 'key' | 'none' = 'key',
) =>
  prepareRequest(
    { operation: 'crm.leads.create', method: 'POST', path: '/sobjects/Lead/', returns: (json) => json, ...operation },
    call,
    {
      baseUrl: new URL('https://crm.example/base'),
      pathPrefix: '/services/data/v60.0',
      userAgent: 'test',
      deadlineMs: 8000,
      maximumDeadlineMs: 10_000,
      maximumBodyBytes: undefined,
      idempotency,
    },
  );

test('a request is an address, a query, what is sent as JSON, and the headers that belong to it', () => {
  const request = prepare(
    { query: { status: 'open', none: undefined }, body: { LastName: 'Øst', none: undefined } },
    { idempotencyKey: 'k' },
  );
  expect(request).toMatchObject({
    operation: 'crm.leads.create',
    effect: 'keyed-write',
    method: 'POST',
    url: 'https://crm.example/base/services/data/v60.0/sobjects/Lead/',
    headers: { accept: 'application/json', 'user-agent': 'test' },
    json: { LastName: 'Øst' },
    body: undefined,
    idempotencyKey: 'k',
  });
  expect(String(request.searchParams)).toBe('status=open');
});

test('every attempt sends the same, even if your object changes meanwhile', () => {
  const body = { tags: ['vip'] };
  const { json } = prepare({ body });
  body.tags.push('late');
  expect(json).toEqual({ tags: ['vip'] });
});

describe('the idempotency key', () => {
  test('is made once for a write and is the same in the body', () => {
    const request = prepare({ body: (key) => ({ idempotency_key: key }) });
    expect(request.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(request.json).toEqual({ idempotency_key: request.idempotencyKey });
  });

  test('is not made for reads, nor for an API that knows none', () => {
    expect(prepare({ effect: 'read' }, { idempotencyKey: 'k' }).idempotencyKey).toBeUndefined();
    expect(prepare({}, {}, 'none').effect).toBe('unsafe-write');
    expect(prepare({}, {}, 'none').idempotencyKey).toBeUndefined();
  });

  test.each(['', 'schlüssel✓', 'x'.repeat(256)])('is refused where no header can carry it: %j', (key) => {
    expect(() => prepare({}, { idempotencyKey: key })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', field: 'idempotencyKey', operation: 'crm.leads.create' }),
    );
  });
});

describe('how a write may be repeated', () => {
  const lookUp = async () => undefined;
  test('with its key, by a look-up, or never', () => {
    expect(prepare({ repeat: 'key' }).effect).toBe('keyed-write');
    expect(prepare({ repeat: 'never' }).effect).toBe('unsafe-write');
    const request = prepare({ repeat: { lookUp } });
    expect(request.effect).toBe('unsafe-write');
    expect(callLog(request).plan.lookUp).toBe(lookUp);
  });

  test('falls back to what the operation names when the API knows no keys', () => {
    const request = prepare({ withoutKeys: { lookUp } }, {}, 'none');
    expect(request.effect).toBe('unsafe-write');
    expect(callLog(request).plan.lookUp).toBe(lookUp);
    expect(callLog(prepare({ withoutKeys: { lookUp } }, {}, 'key')).plan.lookUp).toBeUndefined();
  });
});

describe('the deadline', () => {
  test('is the client’s, a number of milliseconds, or one that is shared', () => {
    const shared = deadlineIn(5000);
    expect(prepare().deadline.budgetMs).toBe(8000);
    expect(prepare({}, { deadline: 4000 }).deadline.budgetMs).toBe(4000);
    expect(prepare({}, { deadline: shared }).deadline).toBe(shared);
  });

  test.each([0, Number.NaN, 10_001, deadlineIn(60_000)])('is refused when it cannot be meant: %j', (deadline) => {
    expect(() => prepare({}, { deadline })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', field: 'deadline' }),
    );
  });
});

test('a body that JSON cannot hold is refused', () => {
  const circular: { self?: object } = {};
  circular.self = circular;
  expect(() => prepare({ body: circular })).toThrow(
    expect.objectContaining({ code: 'invalid_argument', field: 'body' }),
  );
});

describe('an id in a path', () => {
  test('is one encoded segment, whatever it holds', () => {
    expect(path`/contacts/${'a/../b?c=d#e %'}/tags`).toBe('/contacts/a%2F..%2Fb%3Fc%3Dd%23e%20%25/tags');
    expect(path`/contacts/${'https://evil.example'}`).toBe('/contacts/https%3A%2F%2Fevil.example');
  });

  test.each(['', '.', '..', '\ud800'])('is refused where an address would lose or change it: %j', (id) => {
    expect(() => path`/contacts/${id}`).toThrow(expect.objectContaining({ code: 'invalid_argument', field: 'id' }));
  });
});
