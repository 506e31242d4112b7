import { expect, test } from 'vitest';
import { handledAnswer, Refusal, refusalAnswer, type RefusalCode, storedAnswer } from '../../src/webhooks/answer.ts';

const seen = async (answer: Response) => ({
  status: answer.status,
  headers: Object.fromEntries(answer.headers),
  body: await answer.text(),
});
const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };

test.each<[RefusalCode, status: number, more: object]>([
  ['unauthorized', 401, { 'www-authenticate': 'Bearer' }],
  ['method_not_allowed', 405, { allow: 'POST, PUT, PATCH, HEAD' }],
  ['unavailable', 503, {}],
])('a sender gets %s with a %i and nothing else', async (code, status, more) => {
  expect(await seen(refusalAnswer(new Refusal(code, 'why, for us alone')))).toEqual({
    status,
    headers: { ...headers, ...more },
    body: JSON.stringify({ error: code }),
  });
});

test('a sender sees which field is wrong, and when to come again, in whole seconds and never at once', async () => {
  const at = async (retryAfterMs: number) => {
    const answer = refusalAnswer(new Refusal('unavailable', 'x', { field: 'amount', retryAfterMs }));
    return [answer.headers.get('retry-after'), await answer.json()];
  };
  const body = { error: 'unavailable', field: 'amount' };

  expect([await at(0), await at(1_000), await at(1_001)]).toEqual([
    ['1', body],
    ['1', body],
    ['2', body],
  ]);
});

test('a refusal names its code and its reason, and keeps what was thrown', () => {
  const cause = new Error('x');
  const { name, message, cause: kept, ...fields } = new Refusal('failed', 'handler_failed', { cause });

  expect({ name, message, kept, fields }).toStrictEqual({
    name: 'Refusal',
    message: 'failed: handler_failed',
    kept: cause,
    fields: { code: 'failed', reason: 'handler_failed' },
  });
  expect(Object.hasOwn(new Refusal('failed', 'x'), 'cause')).toBe(false);
});

test('what a handler gave is answered as JSON has it; nothing is a 204', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;

  expect([undefined, null, { a: undefined, at: new Date(0) }, () => 1, 1n, circle].map(handledAnswer)).toStrictEqual([
    { status: 204 },
    { status: 200, body: null },
    { status: 200, body: { at: '1970-01-01T00:00:00.000Z' } },
    undefined,
    undefined,
    undefined,
  ]);
});

test('a stored answer without a body has none, and is not kept on the way', async () => {
  expect(await seen(storedAnswer({ status: 204 }))).toEqual({
    status: 204,
    headers: { 'cache-control': 'no-store' },
    body: '',
  });
  expect(await seen(storedAnswer({ status: 200, body: null }))).toEqual({ status: 200, headers, body: 'null' });
});
