import { describe, expect, test } from 'vitest';
import type { ClientError } from '../../src/core/errors.ts';
import type { HttpDialect } from '../../src/http/dialect.ts';
import { connect, createContact, failureOf, getContact } from '../support/connect.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';

const problemsOf: HttpDialect['problemsOf'] = ({ text }) =>
  text === '' ? [] : (JSON.parse(text) as { code: string; message?: string; fields?: string[] }[]);

const wording = (code: string, message?: string) => JSON.stringify([{ code, message, fields: ['Phone'] }]);

describe('an API that words its refusals', () => {
  test('gives its codes to the error, and messages and fields where no log prints them', async () => {
    await using server = await startFaultServer(
      answer({ status: 400, body: wording('DUPLICATE', 'ada@example.com is taken, says s3cr3t-api-key') }),
    );
    const { client } = connect(server, { dialect: { problemsOf } });
    const error = await failureOf(client.request(createContact));
    expect(error.toJSON()).toMatchObject({ code: 'client_error', codes: ['DUPLICATE'] });
    expect((error as ClientError).problems).toEqual([
      { code: 'DUPLICATE', message: 'ada@example.com is taken, says [secret]', fields: ['Phone'] },
    ]);
    expect(JSON.stringify(error)).not.toContain('taken');
  });

  test('emits its codes too', async () => {
    await using server = await startFaultServer(answer({ status: 400, body: wording('DUPLICATE') }));
    const { client, events } = connect(server, { dialect: { problemsOf } });
    await failureOf(client.request(createContact));
    expect(events.map(({ type, ...event }) => ({ type, error: 'error' in event && event.error }))).toEqual([
      { type: 'attempt', error: { code: 'client_error', status: 400, codes: ['DUPLICATE'] } },
      { type: 'call', error: { code: 'client_error', status: 400, codes: ['DUPLICATE'] } },
    ]);
  });

  test('cannot bring a text into logs where a code should stand', async () => {
    await using server = await startFaultServer(answer({ status: 400, body: wording('call ada@example.com') }));
    const { client } = connect(server, { dialect: { problemsOf } });
    expect(await failureOf(client.request(createContact))).not.toHaveProperty('codes');
  });

  test.each([
    ['a page of a gateway', '<html>Bad gateway</html>'],
    ['JSON without a code', '[{}]'],
  ])('is retried all the same when it answers with %s', async (_what, body) => {
    await using server = await startFaultServer(answer({ status: 502, body }), answer({ body: '{"id":"1"}' }));
    const { client } = connect(server, { dialect: { problemsOf } });
    expect(await client.request(getContact)).toEqual({ id: '1' });
  });

  test('says by name that it no longer serves the pinned version', async () => {
    await using server = await startFaultServer(answer({ status: 410 }));
    const { client } = connect(server, { dialect: { isOutdated: (status) => status === 410 } });
    expect(await failureOf(client.request(getContact))).toMatchObject({
      status: 410,
      message:
        'messaging.contacts.get was refused by the API with status 410: it does not serve version 2.11; pin another one',
    });
  });
});

describe('a refusal that passes by itself', () => {
  const classify: HttpDialect['classify'] = (_status, text) => (text.includes('LOCKED') ? 'transient' : 'client');
  const dialect: HttpDialect = { classify, problemsOf, provesNothingDone: ['LOCKED'] };

  test('is followed by another attempt, also of a write that has no key', async () => {
    await using server = await startFaultServer(
      answer({ status: 400, body: wording('LOCKED') }),
      answer({ status: 201, body: '{"id":"1"}' }),
    );
    const { client } = connect(server, { dialect, idempotency: 'none' });
    expect(await client.request(createContact)).toEqual({ id: '1' });
    expect(server.requests).toHaveLength(2);
  });

  test('is known to have done nothing when it does not pass', async () => {
    await using server = await startFaultServer(answer({ status: 400, body: wording('LOCKED') }));
    const { client } = connect(server, { dialect, idempotency: 'none' });
    expect(await failureOf(client.request(createContact))).toMatchObject({
      code: 'max_retries_exceeded',
      outcome: 'rejected',
      attempts: 3,
      codes: ['LOCKED'],
    });
  });

  test.each(['Client', 'ok', true, null, undefined])(
    'in another word (%j) is sent once, and its end is unknown',
    async (said) => {
      await using server = await startFaultServer(answer({ status: 400 }));
      const { client } = connect(server, { dialect: { classify: () => said as never } });

      await expect(client.request(createContact)).rejects.toMatchObject({
        code: 'unexpected_response',
        outcome: 'unknown',
        message: expect.stringContaining(
          "classify of the dialect must return 'client', 'limited', 'transient' or 'final'",
        ),
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  test('may have done its work where no code proves the contrary', async () => {
    await using server = await startFaultServer(answer({ status: 408, body: wording('SLOW') }));
    const { client } = connect(server, { dialect: { classify: () => 'transient', problemsOf }, idempotency: 'none' });
    expect(await failureOf(client.request(createContact))).toMatchObject({ outcome: 'unknown', attempts: 1 });
  });
});

describe('a limit that comes in another header', () => {
  const resetIn: HttpDialect['retryAfterMs'] = ({ headers }, wallNow) => {
    const at = headers.get('x-reset');
    return at === undefined ? undefined : Number(at) * 1_000 - wallNow;
  };

  test.each([
    ['is waited for', { 'x-reset': '1795262405' }, 5_000],
    ['is believed before Retry-After', { 'x-reset': '1795262405', 'retry-after': '1' }, 5_000],
    ['leaves Retry-After where it is missing', { 'retry-after': '2' }, 2_000],
  ])('%s', async (_what, headers, waitMs) => {
    await using server = await startFaultServer(answer({ status: 429, headers }), answer({ body: '{"id":"1"}' }));
    const { client, events } = connect(server, {
      dialect: { retryAfterMs: resetIn },
    });
    expect(await client.request(getContact)).toEqual({ id: '1' });
    expect(events.flatMap((event) => (event.type === 'attempt' ? event.waits : []))).toEqual([
      { reason: 'retry_after', ms: waitMs },
    ]);
  });
});

describe('an API that counts for itself', () => {
  const usageOf: HttpDialect['usageOf'] = (headers) => {
    const [, used, limit] = /^(\d+)\/(\d+)$/.exec(headers.get('x-usage') ?? '') ?? [];
    return used === undefined ? undefined : { used: Number(used), limit: Number(limit) };
  };
  const dialect: HttpDialect = {
    usageOf,
    classify: (status) => (status === 403 ? 'limited' : 'client'),
    retryAfterMs: () => 60_000,
  };

  test('is read on every answer', async () => {
    await using server = await startFaultServer(answer({ headers: { 'x-usage': '25/15000' }, body: '{"id":"1"}' }));
    const { client } = connect(server, { dialect });
    expect(client.status().usage).toBeUndefined();
    await client.request(getContact);
    expect(client.status().usage).toEqual({ used: 25, limit: 15_000 });
  });

  test('is not asked again until it said, once it refuses since everything is used up', async () => {
    await using server = await startFaultServer(answer({ status: 403, headers: { 'x-usage': '15000/15000' } }));
    const { client, clock } = connect(server, { dialect });
    expect(await failureOf(client.request(getContact))).toMatchObject({ code: 'max_retries_exceeded', attempts: 1 });
    expect(await failureOf(client.request(getContact))).toMatchObject({
      code: 'quota_exceeded',
      outcome: 'not_sent',
      retryAfterMs: 60_000,
      message: 'messaging.contacts.get was not sent: the API’s own budget is used up; it is asked again in 60 s',
    });
    await clock.advance(60_000);
    expect(await failureOf(client.request(getContact))).toMatchObject({ code: 'max_retries_exceeded', attempts: 1 });
    expect(server.requests).toHaveLength(2);
  });

  test('goes on being asked above its limit for as long as it answers', async () => {
    await using server = await startFaultServer(answer({ headers: { 'x-usage': '15200/15000' }, body: '{"id":"1"}' }));
    const { client } = connect(server, { dialect });
    await client.request(getContact);
    expect(await client.request(getContact)).toEqual({ id: '1' });
  });
});

describe('an API that knows no idempotency keys', () => {
  test('is sent a write again whose request says itself which record it writes, and the error says that it may', async () => {
    await using server = await startFaultServer(answer({ status: 503 }));
    const { client } = connect(server, { idempotency: 'none' });
    const error = await failureOf(
      client.request({ ...createContact, withoutKeys: 'key' }, { idempotencyKey: 'call-1:contact' }),
    );
    expect(error).toMatchObject({ attempts: 3, outcome: 'unknown', idempotencyKey: 'call-1:contact' });
  });

  test('may refuse with a 3xx that leads nowhere', async () => {
    await using server = await startFaultServer(answer({ status: 300, body: wording('SEVERAL_MATCH') }));
    const { client } = connect(server, { dialect: { problemsOf } });
    expect(await failureOf(client.request(createContact))).toMatchObject({
      code: 'client_error',
      status: 300,
      outcome: 'rejected',
      codes: ['SEVERAL_MATCH'],
    });
  });
});

test('an API may say in an envelope of 200 that it refused', async () => {
  await using server = await startFaultServer(answer({ body: '{"refused":[{"code":"TAKEN"}]}' }));
  const { client } = connect(server, {
    dialect: {
      unwrap: (response) => ({ ...response, status: 400, text: response.text.slice('{"refused":'.length, -1) }),
      problemsOf,
    },
  });
  const error = await failureOf(client.request(createContact));
  expect(error).toMatchObject({ code: 'client_error', status: 400, outcome: 'rejected', codes: ['TAKEN'] });
  expect((error as ClientError).details).toEqual([{ code: 'TAKEN' }]);
});
