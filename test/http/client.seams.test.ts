import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ApiClientOptions } from '../../src/api/api-client.ts';
import { createApiClient } from '../../src/api/create-api-client.ts';
import { bearer } from '../../src/auth/secret-credential.ts';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { deadlineIn } from '../../src/http/deadline.ts';
import type { Middleware } from '../../src/http/request.ts';
import { version } from '../../src/core/version.ts';
import { connect, createContact, failureOf, getContact, secret } from '../support/connect.ts';
import { answer, resetBeforeAnswer, silence, startFaultServer } from '../support/fault-server.ts';

const throwing = () => {
  throw new Error('the hook is broken');
};
const rejecting = (() => Promise.reject(new Error('the hook is broken'))) as () => void;

describe('a hook of the application that fails', () => {
  test.each([
    ['throws', throwing],
    ['rejects', rejecting],
  ])('changes nothing for the call when it %s', async (_how, hook) => {
    await using server = await startFaultServer(resetBeforeAnswer, answer({ body: '{"id":"1"}' }));
    const { client } = connect(server, { onEvent: hook, attempts: 1, circuit: { minimumVolume: 1, openMs: 1 } });
    await failureOf(client.request(getContact, { onResponse: hook }));
    const calm = connect(server, { onEvent: hook });
    expect(await calm.client.request(getContact, { onResponse: hook })).toEqual({ id: '1' });
  });
});

test.each<[string, (event: Record<string, unknown>) => void]>([
  ['deletes its type', (event) => delete event.type],
  ['changes what is in it', (event) => Object.assign(event.waits ?? {}, { length: 9 })],
])('a listener that takes an event and %s changes nothing for the call or for others', async (_how, spoil) => {
  await using server = await startFaultServer(answer({ body: '{"id":"1"}' }));
  const types: string[] = [];
  const { client } = connect(server, {
    onEvent: [(event) => spoil(event as never), ({ type }) => types.push(type)],
  });
  expect(await client.request(createContact)).toEqual({ id: '1' });
  expect(types).toEqual(['credential-used', 'attempt', 'call']);
});

test.each([{}, null])('signal %j is refused, and nothing is sent', async (signal) => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const { client, clock } = connect(server);
  expect(await failureOf(client.request(getContact, { signal: signal as never }))).toMatchObject({
    code: 'invalid_argument',
    field: 'signal',
    operation: 'messaging.contacts.get',
    outcome: 'not_sent',
  });
  expect(clock.pendingTimers()).toBe(0);
  expect(server.connections()).toBe(0);
});

describe('middleware of the application', () => {
  const tag =
    (name: string, value: string): Middleware =>
    (request, next) =>
      next({ ...request, headers: { ...request.headers, [name]: value } });

  test('runs around the call and around each attempt, and sees what leaves', async () => {
    await using server = await startFaultServer(resetBeforeAnswer, answer({ body: '{}' }));
    const seen: string[] = [];
    const watch =
      (where: string): Middleware =>
      (request, next) => {
        seen.push(`${where} ${request.attempt} ${'x-api-key' in request.headers}`);
        return next(request);
      };
    const { client } = connect(server, {
      middleware: {
        perRequest: [watch('request'), tag('x-call', 'CA1')],
        perAttempt: [watch('attempt'), tag('x-signed', 'yes')],
      },
    });
    await client.request(getContact);
    expect(seen).toEqual(['request 1 false', 'attempt 1 true', 'attempt 2 true']);
    expect(server.requests.map(({ headers }) => [headers['x-call'], headers['x-signed']])).toEqual([
      ['CA1', 'yes'],
      ['CA1', 'yes'],
    ]);
  });

  test.each<[string, unknown]>([
    ['an error', new Error('mine')],
    ['a network TypeError', new TypeError('fetch failed')],
    ['an abort of its own', new DOMException('mine', 'AbortError')],
  ])('throws %s before the attempt: it is thrown as it is, and nothing is sent', async (_what, error) => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    for (const middleware of [
      { perRequest: [() => Promise.reject(error)] },
      { perAttempt: [() => Promise.reject(error)] },
    ]) {
      const { client, events, clock } = connect(server, { middleware });
      expect(await failureOf(client.request(createContact))).toBe(error);
      expect(events.at(-1)).toMatchObject({
        type: 'call',
        attempts: 0,
        outcome: 'not_sent',
        error: { code: 'internal_error' },
      });
      expect(clock.pendingTimers()).toBe(0);
    }
    expect(server.connections()).toBe(0);
  });

  test('throws an error of its own after the answer: the error says that the write may have been done', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const mine = new Error('mine');
    const { client, events } = connect(server, {
      middleware: {
        perAttempt: [
          async (request, next) => {
            await next(request);
            throw mine;
          },
        ],
      },
    });
    const error = await failureOf(client.request(createContact, { idempotencyKey: 'k' }));
    expect(error).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringMatching(
        /^messaging\.contacts\.create: your middleware or hook failed after the request was sent: Error at client\.seams/,
      ),
      outcome: 'unknown',
      attempts: 1,
      idempotencyKey: 'k',
      original: mine,
    });
    expect(Object.keys(error)).not.toContain('original');
    expect(events.at(-1)).toMatchObject({ type: 'call', attempts: 1, outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['a line break', 'a\r\nx-admin: 1'],
    ['letters beyond Latin-1', '→'],
  ])('adds a header with %s: it is refused, and nothing is sent', async (_what, value) => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client } = connect(server, { middleware: { perAttempt: [tag('x-tag', value)] } });
    expect(await failureOf(client.request(getContact))).toMatchObject({
      code: 'invalid_argument',
      field: 'x-tag',
      outcome: 'not_sent',
    });
    expect(server.connections()).toBe(0);
  });
});

describe('the version', () => {
  test('that an API answers in, or that it gives up, is one warning per operation', async () => {
    await using server = await startFaultServer(
      answer({ body: '{}', headers: { 'acme-version': '2.12', sunset: 'Sat, 31 Dec 2026 23:59:59 GMT' } }),
    );
    const { client, events } = connect(server);
    await client.request(getContact);
    await client.request(getContact);
    await client.request(createContact);
    expect(server.requests.map(({ headers }) => headers['acme-version'])).toEqual(['2.11', '2.11', '2.11']);
    expect(events.filter(({ type }) => type === 'version-warning')).toMatchObject([
      {
        operation: 'messaging.contacts.get',
        pinned: '2.11',
        answered: '2.12',
        sunset: 'Sat, 31 Dec 2026 23:59:59 GMT',
      },
      { operation: 'messaging.contacts.create', pinned: '2.11', answered: '2.12' },
    ]);
  });

  test.each(['acme-version', 'deprecation', 'sunset'])(
    'header %s cannot carry a secret into an event',
    async (header) => {
      await using server = await startFaultServer(
        answer({
          body: '{}',
          headers: { [header]: `${'x'.repeat(90)}${secret} ada@example.com ${'y'.repeat(5_000)}` },
        }),
      );
      const { client, events } = connect(server);
      await client.request(getContact);
      const warning = events.find(({ type }) => type === 'version-warning');
      const shown = JSON.stringify(warning);
      expect(shown).toContain('xxx');
      expect(shown).not.toMatch(/s3cr3t|ada@example/);
      expect(shown.length).toBeLessThan(500);
    },
  );
});

test('every request says which package and which application sent it', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  await connect(server, { appName: 'Acme agent' }).client.request(getContact);
  expect(server.requests[0]?.headers['user-agent']).toBe(`voice-agent-integrations/${version} (Acme agent)`);
});

test('attempts are emitted before their call, also when its caller or the deadline ends it', async () => {
  await using server = await startFaultServer(answer({ status: 503 }), silence);
  const left = connect(server);
  const caller = new AbortController();
  const aborted = failureOf(left.client.request(getContact, { signal: caller.signal }));
  await server.request(2);
  caller.abort();
  await aborted;
  const told = left.events.map((event) => [event.type, 'error' in event && event.error?.code]);
  expect(told).toEqual([
    ['attempt', 'attempt_failed'],
    ['attempt', 'aborted'],
    ['call', 'aborted'],
  ]);
  const late = connect(server);
  const end = failureOf(late.client.request(getContact, { deadline: 10 }));
  await server.request(3);
  await late.clock.advance(10);
  await end;
  expect(late.events.map(({ type }) => type)).toEqual(['attempt', 'call']);
});

test('a request id that holds the secret where it is cut off is none', async () => {
  await using server = await startFaultServer(
    answer({ status: 400, headers: { 'x-request-id': `${'x'.repeat(190)}${secret}` } }),
  );
  const { client, events } = connect(server);
  const error = await failureOf(client.request(getContact));
  expect(`${inspect(error)}${JSON.stringify(events)}`).not.toContain(secret.slice(0, 8));
});

test('a field that drifted is emitted, and the record is there without it', async () => {
  await using server = await startFaultServer(answer({ body: '{"id":"1"}' }));
  const { client, events } = connect(server);
  const drifting = {
    ...getContact,
    returns: (json: unknown, { drift }: { drift: (fields: readonly string[]) => void }) => {
      drift(['phone']);
      return json;
    },
  };
  expect(await client.request(drifting, { callId: 'CA1' })).toEqual({ id: '1' });
  expect(events.map(({ type }) => type)).toEqual(['attempt', 'schema-drift', 'call']);
  expect(events[1]).toMatchObject({ operation: 'messaging.contacts.get', fields: ['phone'], callId: 'CA1' });
});

describe('one deadline', () => {
  test('holds for calls one after the other', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }), silence);
    const { client, clock } = connect(server, { attempts: 1 });
    const deadline = deadlineIn(3_000);
    await client.request(getContact, { deadline });
    await clock.advance(1_000);
    const end = failureOf(client.request(getContact, { deadline }));
    await server.request(2);
    await clock.advance(2_000);
    expect(await end).toMatchObject({ code: 'max_retries_exceeded', attempts: 1, elapsedMs: 1_980 });
    expect(await failureOf(client.request(getContact, { deadline }))).toMatchObject({
      code: 'deadline_exceeded',
      outcome: 'not_sent',
      attempts: 0,
    });
    expect(server.requests).toHaveLength(2);
  });

  test('holds for calls at the same time, over several clients', async () => {
    await using server = await startFaultServer(silence);
    const first = connect(server, { attempts: 1 });
    const second = connect(server, { attempts: 1 });
    const deadline = deadlineIn(3_000);
    const ends = [first, second, first].map(({ client }) => failureOf(client.request(getContact, { deadline })));
    await server.request(3);
    await first.clock.advance(3_000);
    for (const end of ends) expect(await end).toMatchObject({ code: 'max_retries_exceeded', elapsedMs: 2_980 });
    expect(first.clock.pendingTimers()).toBe(0);
  });
});

test('a thousand calls under one signal, at once and in turn, leave nothing on it and cause no warning', async () => {
  await using server = await startFaultServer((socket, request) =>
    answer(request.url === '/contacts/1' ? { body: '{}' } : { status: 422 })(socket, request),
  );
  const warnings: Error[] = [];
  const hear = (warning: Error) => warnings.push(warning);
  process.on('warning', hear);
  const { client, clock } = connect(server);
  const { signal } = new AbortController();
  for (let round = 0; round < 10; round += 1) {
    await Promise.allSettled(
      Array.from({ length: 100 }, (_, at) => client.request(at % 2 ? getContact : createContact, { signal })),
    );
  }
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', hear);
  expect(server.requests).toHaveLength(1_000);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(clock.pendingTimers()).toBe(0);
  expect(warnings).toEqual([]);
});

describe('an option that cannot work is refused when the client is made', () => {
  test.each<[string, Partial<ApiClientOptions<{}>>]>([
    ['baseUrl', { baseUrl: 'http://api.example.com' }],
    ['attempts', { attempts: 0 }],
    ['deadlineMs', { deadlineMs: 0 }],
    ['deadlineMs', { deadlineMs: 20_000 }],
    ['attemptTimeoutMs', { attemptTimeoutMs: 0 }],
    ['maximumBodyBytes', { maximumBodyBytes: 0 }],
    ['backoff', { backoff: { minimumMs: -1, maximumMs: 100 } }],
    ['retryBudget.capacity', { retryBudget: { capacity: Number.NaN } }],
    ['authenticate', { authenticate: 'a secret in code' as never }],
    ['appName', { appName: 'agent\r\nx-admin: 1' }],
    ['idempotency', { idempotency: { header: 'x key' } }],
    ['idempotency', { idempotency: 'Key' as never }],
    ['version', { version: 'a\nb' as never }],
    ['rateLimit', { rateLimit: 10 as never }],
    ['rateLimit.limit', { rateLimit: { limit: 0, perMs: 1000 } }],
    ['attempt', { attempt: 2 } as object],
  ])('%s %j', (field, options) => {
    const make = () =>
      createApiClient({
        name: 'orders',
        version: 'in-base-url',
        baseUrl: 'https://api.example.com',
        authenticate: bearer(() => 'secret'),
        endpoints: {},
        ...options,
      });
    expect(make).toThrow(InvalidArgumentError);
    expect(make).toThrow(expect.objectContaining({ field: `orders.${field}` }));
  });

  test.each([0, '1000' as never])('attemptTimeoutMs %j of a call', async (attemptTimeoutMs) => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    expect(await failureOf(connect(server).client.request(getContact, { attemptTimeoutMs }))).toMatchObject({
      code: 'invalid_argument',
      field: 'attemptTimeoutMs',
      operation: 'messaging.contacts.get',
    });
    expect(server.connections()).toBe(0);
  });

  test('a deadline that is neither a number nor a deadline', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    for (const deadline of ['5000', {}, new Date()] as never[])
      expect(await failureOf(connect(server).client.request(getContact, { deadline }))).toMatchObject({
        code: 'invalid_argument',
        field: 'deadline',
      });
    expect(server.connections()).toBe(0);
  });
});

test('a path with or without a slash at its front is the same under a path of its own', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const { client } = connect(server, { pathPrefix: 'services/data/v60.0/' });
  for (const path of ['limits', '/limits'])
    await client.custom({ operation: 'crm.limits', method: 'GET', path, returns: (json) => json });
  expect(server.requests.map(({ url }) => url)).toEqual(['/services/data/v60.0/limits', '/services/data/v60.0/limits']);
});

test('bytes of an answer that are no text are reported, and the call goes on', async () => {
  await using server = await startFaultServer(answer({ body: Buffer.from('{"id":"1","name":"Zo\xff"}', 'latin1') }));
  const { client, events } = connect(server);
  expect(await client.request(getContact)).toEqual({ id: '1', name: 'Zo\ufffd' });
  expect(events).toContainEqual(expect.objectContaining({ type: 'schema-drift', fields: ['charset'] }));
});
