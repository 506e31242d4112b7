import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  AttemptFailedError,
  ClientError,
  type IntegrationError,
  UnexpectedResponseError,
} from '../../../src/core/errors.ts';
import { attemptLog, callLog } from '../../../src/http/call-log.ts';
import { type Classify, classifyByStatus, type HttpDialect } from '../../../src/http/dialect.ts';
import { createKyTransport } from '../../../src/http/ky-transport.ts';
import { rejectFailures } from '../../../src/http/middleware/reject-failures.ts';
import type { HttpRequest, HttpResponse } from '../../../src/http/request.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { answer, startFaultServer } from '../../support/fault-server.ts';
import { aRequest } from '../../support/request.ts';

createVirtualClock({ wallNow: Date.UTC(2026, 10, 21, 12) });

interface Given {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly requestId?: string;
}

const responseOf = ({ status, headers = {}, text = '', requestId }: Given): HttpResponse => ({
  status,
  headers: new Map(Object.entries(headers)),
  text,
  ...(requestId === undefined ? {} : { requestId }),
});

const failureOf = async (
  given: Given,
  { request = aRequest(), classify = classifyByStatus, ...dialect }: { request?: HttpRequest } & HttpDialect = {},
): Promise<IntegrationError> => {
  const end = rejectFailures({ dialect: { classify, ...dialect } })(request, async () => responseOf(given));
  return end.then(
    () => expect.unreachable('it should have failed'),
    (error: IntegrationError) => error,
  );
};

const withSecrets = (...secrets: readonly string[]): HttpRequest => {
  const request = aRequest();
  attemptLog(request).signed({ headers: {}, secrets });
  return request;
};

test.each([200, 299])('a %i passes as it is', async (status) => {
  const request = aRequest();
  const response = responseOf({ status });
  expect(await rejectFailures({ dialect: { classify: () => 'transient' } })(request, async () => response)).toBe(
    response,
  );
  expect(callLog(request).status).toBe(status);
});

test.each([
  [400, ''],
  [401, ': it does not take the credential'],
  [403, ': the credential may not do this'],
  [404, ': not found: check the id, the base URL and the version'],
])('a %i is a refusal with the answer’s body%s', async (status, hint) => {
  const request = aRequest();
  const error = await failureOf({ status, text: '{"errors":[{"code":"gone"}]}', requestId: 'req_1' }, { request });
  expect(error instanceof ClientError).toBe(true);
  expect(error.toJSON()).toEqual({
    name: 'ClientError',
    code: 'client_error',
    message: `messaging.contacts.get was refused by the API with status ${status}${hint}`,
    operation: 'messaging.contacts.get',
    help: expect.stringContaining('docs/errors.md#'),
    attempts: 0,
    elapsedMs: 0,
    outcome: 'rejected',
    status,
    requestId: 'req_1',
  });
  expect((error as ClientError).details).toEqual({ errors: [{ code: 'gone' }] });
  expect(callLog(request).status).toBe(status);
});

test('a 401 names the header of the credential, and the variable that it came from', async () => {
  const request = aRequest();
  attemptLog(request).signed({ headers: { 'x-api-key': 'k' }, secrets: ['k'], variables: ['BILLING_API_KEY'] });
  const { message } = await failureOf({ status: 401 }, { request });
  expect(message).toBe(
    'messaging.contacts.get was refused by the API with status 401: it does not take the credential in x-api-key (check BILLING_API_KEY)',
  );
});

test('a 404 of the CRM leads to the external-id field too', async () => {
  const { message } = await failureOf({ status: 404 }, { request: aRequest({ operation: 'crm.leads.upsert' }) });
  expect(message).toBe(
    'crm.leads.upsert was refused by the API with status 404: not found: check the id, the external-id field, the base URL and the version',
  );
});

test.each([
  ['empty', '', undefined],
  ['null', 'null', null],
  ['JSON', '{"a":[1]}', { a: [1] }],
  ['a text', 'Not found', 'Not found'],
  ['broken JSON', '{"a":', '{"a":'],
  ['JSON with a dangerous key', '{"__proto__":{"x":1},"a":1}', { a: 1 }],
  ['too long JSON', `["${'x'.repeat(10_000)}"]`, `["${'x'.repeat(8_190)}`],
  ['nested too deep', '['.repeat(3_000), '['.repeat(3_000)],
])('the details of a refusal whose body is %s', async (_what, text, details) => {
  expect(((await failureOf({ status: 404, text })) as ClientError).details).toEqual(details);
});

test.each([
  ['in JSON', '{"message":"Bearer s3cr3t/token is expired"}', { message: 'Bearer [secret] is expired' }],
  ['escaped in JSON', '{"message":"s3cr3t\\/token \\u0073\\u0033cr3t/token"}', { message: '[secret] [secret]' }],
  ['as a key', '{"a s3cr3t/token b":1}', { 'a [secret] b': 1 }],
  [
    'under a telling name',
    '{"errors":[{"client_secret":"x y"}],"token":null}',
    { errors: [{ client_secret: '[secret]' }], token: null },
  ],
  [
    'that belongs to another user',
    '{"fault":"postgres://root:hunter2@db/x","hint":"password is hunter2"}',
    { fault: 'postgres://[secret]@db/x', hint: 'password is [secret]' },
  ],
  ['in a text', 'no such key: s3cr3t/token', 'no such key: [secret]'],
  ['encoded', 'no such key: s3cr3t%2Ftoken', 'no such key: [secret]'],
  ['across the bound', `${'x'.repeat(8_186)}s3cr3t/token`, `${'x'.repeat(8_186)}[secre`],
])('the details repeat no secret that the API repeats %s', async (_where, text, details) => {
  const error = (await failureOf({ status: 401, text }, { request: withSecrets('s3cr3t/token') })) as ClientError;
  expect(error.details).toEqual(details);
});

test('only the first part of a large refusal is masked and shown', async () => {
  const text = `Bearer ${'a'.repeat(1_000)} `.repeat(1_000);
  const details = String(((await failureOf({ status: 400, text })) as ClientError).details);

  expect(details.split('Bearer [secret]')).toHaveLength(Math.floor((64 * 1024) / 1_008) + 2);
  expect(details).not.toContain('aaaaaaaa'.repeat(200));
});

test('of many problems with long messages, the first are shown and the others cut', async () => {
  const message = `password is hunter2 ${'x'.repeat(20_000)}`;
  const problemsOf = () => Array.from({ length: 1_000 }, () => ({ code: 'NO', message, fields: [message] }));
  const { problems } = (await failureOf({ status: 400 }, { problemsOf })) as ClientError;
  const shown = problems.filter(({ message: words }) => words !== '[cut]');

  expect(problems).toHaveLength(1_000);
  expect(shown.length).toBeGreaterThan(2);
  expect(shown.length).toBeLessThan(9);
  for (const { message: words } of shown) expect(words).toMatch(/^password is \[secret\] x{900,}$/);
});

test('a secret that is a number does not come through as one', async () => {
  const error = await failureOf({ status: 401, text: '{"key":12345678}' }, { request: withSecrets('12345678') });
  expect((error as ClientError).details).toEqual({ key: '[secret]' });
});

test('the body of a refusal stays out of what is logged', async () => {
  const error = await failureOf({ status: 404, text: '{"email":"ada@example.com"}' });
  expect(`${inspect(error, { depth: 10 })}${JSON.stringify(error)}${error.message}`).not.toContain('ada@example.com');
});

test.each([
  ['without a word on the wait', {}, 1_000],
  ['in seconds', { 'retry-after': '7' }, 7_000],
  [
    'as a date against its own',
    { 'retry-after': 'Sat, 21 Nov 2026 09:00:05 GMT', date: 'Sat, 21 Nov 2026 09:00:00 GMT' },
    5_000,
  ],
])('a 429 %s', async (_how, headers, waitMs) => {
  const error = await failureOf({ status: 429, headers, requestId: 'req_1' });
  expect(error.toJSON()).toEqual({
    name: 'AttemptFailedError',
    code: 'attempt_failed',
    message: 'messaging.contacts.get: the API answered 429, too many requests',
    operation: 'messaging.contacts.get',
    help: expect.stringContaining('docs/errors.md#'),
    attempts: 0,
    elapsedMs: 0,
    outcome: 'rejected',
    reason: 'rate_limited',
    status: 429,
    requestId: 'req_1',
    retryAfterMs: waitMs,
  });
});

test.each([500, 600])('a %i is a failure after which nothing is known', async (status) => {
  const error = await failureOf({ status, text: '<h1>Bad gateway</h1>' });
  expect(error.toJSON()).toEqual({
    name: 'AttemptFailedError',
    code: 'attempt_failed',
    message: `messaging.contacts.get: the API failed with status ${status}`,
    operation: 'messaging.contacts.get',
    help: expect.stringContaining('docs/errors.md#'),
    attempts: 0,
    elapsedMs: 0,
    outcome: 'unknown',
    reason: 'server_error',
    status,
  });
});

test('a 503 may ask for a wait too', async () => {
  expect((await failureOf({ status: 503, headers: { 'retry-after': '2' } })).retryAfterMs).toBe(2_000);
});

test.each([300, 399, 0])('a %i is a redirect, which is no answer', async (status) => {
  const error = await failureOf({ status, headers: { location: 'https://evil.test/?token=s3cr3t' } });
  expect(error instanceof UnexpectedResponseError).toBe(true);
  expect(error.toJSON()).toEqual({
    name: 'UnexpectedResponseError',
    code: 'unexpected_response',
    message: 'messaging.contacts.get was answered with a redirect, which is never followed',
    operation: 'messaging.contacts.get',
    help: expect.stringContaining('docs/errors.md#'),
    attempts: 0,
    elapsedMs: 0,
    outcome: 'unknown',
    status,
  });
});

test.each([199, 304])('a %i is no answer either', async (status) => {
  const error = await failureOf({ status });
  expect(error instanceof UnexpectedResponseError && error.message).toBe(
    `messaging.contacts.get was answered with status ${status}, which is no answer`,
  );
});

test('an API may say what a status means from its body', async () => {
  const classify: Classify = (status, text) => (text.includes('LIMIT') ? 'limited' : classifyByStatus(status));
  const limited = await failureOf({ status: 403, text: '[{"errorCode":"REQUEST_LIMIT_EXCEEDED"}]' }, { classify });
  expect(limited instanceof AttemptFailedError && [limited.reason, limited.outcome, limited.retryAfterMs]).toEqual([
    'rate_limited',
    'rejected',
    1_000,
  ]);
  expect((await failureOf({ status: 403, text: '[]' }, { classify })) instanceof ClientError).toBe(true);
});

test('an API may say in a header that repeating does not help', async () => {
  const classify: Classify = (status, _text, headers) =>
    headers.get('should-retry') === 'no' ? 'final' : classifyByStatus(status);
  const final = await failureOf({ status: 500, headers: { 'should-retry': 'no' } }, { classify });
  expect(final instanceof UnexpectedResponseError && [final.status, final.outcome]).toEqual([500, 'unknown']);
  expect((await failureOf({ status: 500 }, { classify })) instanceof AttemptFailedError).toBe(true);
});

test('a redirect on the wire ends here: neither key nor body reach the other origin', async () => {
  await using other = await startFaultServer(answer());
  await using server = await startFaultServer(answer({ status: 308, headers: { location: other.origin } }));
  const request = aRequest({ url: server.origin, method: 'POST', headers: { 'x-api-key': 'k' }, body: '{}' });
  const transport = createKyTransport({ maximumBodyBytes: 1_000_000 });
  const end = rejectFailures({})(request, transport);
  await expect(end).rejects.toMatchObject({ code: 'unexpected_response', status: 308 });
  expect(other.connections()).toBe(0);
  expect(server.requests).toHaveLength(1);
});

test.each([Number.NaN, -1])('a dialect that reads the wait %d leaves it to Retry-After', async (waitMs) => {
  const dialect = { retryAfterMs: () => waitMs };
  const headers = { 'retry-after': '2' };
  expect((await failureOf({ status: 429, headers }, dialect)).retryAfterMs).toBe(2_000);
  expect((await failureOf({ status: 429 }, dialect)).retryAfterMs).toBe(1_000);
  expect((await failureOf({ status: 503 }, dialect)).retryAfterMs).toBeUndefined();
});
