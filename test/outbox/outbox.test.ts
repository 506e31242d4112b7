import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { bearer } from '../../src/auth/secret-credential.ts';
import { AuthenticationError, StoreError } from '../../src/core/errors.ts';
import { defineEvent } from '../../src/outbox/define-event.ts';
import { createOutbox } from '../../src/outbox/outbox.ts';
import { standardWebhooks, xSignature } from '../../src/signature/scheme.ts';
import { verifySignature } from '../../src/signature/verify.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import {
  answer,
  head,
  type Reply,
  resetAfter,
  resetBeforeAnswer,
  silence,
  startFaultServer,
} from '../support/fault-server.ts';
import { callCompleted, type OpenOutbox, openOutbox } from '../support/open-outbox.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { eventually, until } from '../support/until.ts';

const payload = { callId: 'CA1' };
const publication = { event: callCompleted, payload, idempotencyKey: 'CA1:completed' };

describe('a delivery', () => {
  test('carries the event, its key, and nothing that is not asked for', async () => {
    await using server = await startFaultServer(answer({ status: 204 }));
    await using under = openOutbox({
      destinations: [{ name: 'crm', url: `${server.origin}/hook/voice-events/v{version}`, version: 1 }],
    });

    expect(await under.outbox.publish(publication)).toEqual({ status: 'queued', destinations: { crm: 'queued' } });
    const request = await server.request(1);

    expect(request).toMatchObject({ method: 'POST', url: '/hook/voice-events/v1' });
    expect(JSON.parse(request.body)).toEqual({
      id: 'CA1:completed',
      type: 'call.completed',
      version: 1,
      timestamp: '2026-01-01T00:00:00.000Z',
      data: payload,
    });
    const { 'user-agent': agent, ...headers } = request.headers;
    expect(agent).toMatch(/^voice-agent-integrations\//);
    expect(headers).toEqual({
      host: server.origin.replace('http://', ''),
      accept: '*/*',
      'content-type': 'application/json',
      'content-length': String(request.body.length),
      'idempotency-key': 'CA1:completed',
      connection: 'keep-alive',
    });
  });

  test('is signed in each scheme, during a rotation with both secrets, and fresh at each attempt', async () => {
    await using server = await startFaultServer(answer({ status: 500 }), answer());
    const current = `whsec_${Buffer.from('current').toString('base64')}`;
    const previous = `whsec_${Buffer.from('previous').toString('base64')}`;
    const signing = { secrets: async () => [current, previous], scheme: [xSignature, standardWebhooks] };
    await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1, signing }] });

    await under.outbox.publish(publication);
    const first = await server.request(1);
    await retried(under);
    const second = await server.request(2);

    for (const { body, headers } of [first, second]) {
      expect(await verifySignature(body, { headers, secrets: () => current })).toMatchObject({ valid: true });
      for (const secret of [current, previous]) {
        const verdict = await verifySignature(body, { headers, secrets: () => secret, scheme: standardWebhooks });
        expect(verdict).toMatchObject({ valid: true });
      }
    }
    expect(second.body).toBe(first.body);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
  });

  test('has the credential, headers and version header of its destination', async () => {
    await using server = await startFaultServer(answer());
    await using under = openOutbox({
      destinations: [
        {
          name: 'crm',
          url: server.origin,
          version: 1,
          versionHeader: 'X-Event-Version',
          headers: { 'X-Source': 'voice' },
          authenticate: bearer(() => 'token'),
          method: 'PUT',
          body: ({ event, payload }) => ({ event, payload }),
        },
      ],
    });

    await under.outbox.publish(publication);
    const request = await server.request(1);

    expect(request).toMatchObject({
      method: 'PUT',
      headers: { authorization: 'Bearer token', 'x-source': 'voice', 'x-event-version': '1' },
      body: JSON.stringify({ event: 'call.completed', payload }),
    });
  });

  test('of a GET carries its fields as query', async () => {
    await using server = await startFaultServer(answer());
    await using under = openOutbox({
      destinations: [
        { name: 'ping', url: `${server.origin}/ping?a=1`, version: 1, method: 'GET', body: ({ id }) => ({ id }) },
      ],
    });

    await under.outbox.publish(publication);

    expect(await server.request(1)).toMatchObject({ method: 'GET', url: '/ping?a=1&id=CA1%3Acompleted', body: '' });
  });

  test('goes to each destination in the version that it understands', async () => {
    await using server = await startFaultServer(answer());
    const v1 = z.object({ callId: z.string(), duration: z.number() });
    const v2 = z.object({ callId: z.string(), seconds: z.number() });
    const event = defineEvent('call.completed', {
      1: { schema: v1, down: ({ callId, seconds }: z.infer<typeof v2>) => ({ callId, duration: seconds }) },
      2: v2,
    });
    const body = ({ payload }: { payload: unknown }) => payload as { [field: string]: number };
    await using under = openOutbox({
      destinations: [
        { name: 'old', url: `${server.origin}/v{version}`, version: 1, body },
        { name: 'new', url: `${server.origin}/v{version}`, version: { 'call.completed': 2 }, body },
        { name: 'other', url: server.origin, version: 1, events: ['call.started'] },
        { name: 'another', url: server.origin, version: { 'call.started': 1 } },
      ],
    });

    const { destinations } = await under.outbox.publish({
      event,
      payload: { callId: 'CA1', seconds: 3 },
      idempotencyKey: 'k',
    });
    await Promise.all([server.request(1), server.request(2)]);

    expect(Object.keys(destinations)).toEqual(['old', 'new']);
    expect(Object.fromEntries(server.requests.map(({ url, body }) => [url, JSON.parse(body)]))).toEqual({
      '/v1': { callId: 'CA1', duration: 3 },
      '/v2': { callId: 'CA1', seconds: 3 },
    });
  });
});

describe('publishing', () => {
  test('what its schema refuses, or has no form for a destination, stores nothing', async () => {
    await using under = openOutbox({
      destinations: [
        { name: 'one', url: 'https://one.example', version: 1 },
        { name: 'two', url: 'https://two.example', version: 2 },
      ],
    });
    const wrong = { event: callCompleted, payload: { callId: 1 as unknown as string }, idempotencyKey: 'k' };

    await expect(under.outbox.publish(wrong)).rejects.toMatchObject({ field: 'payload.callId' });
    await expect(under.outbox.publish(publication)).rejects.toThrow('has no form for version 2');
    await expect(under.outbox.publish({ ...publication, idempotencyKey: '' })).rejects.toMatchObject({
      field: 'idempotencyKey',
    });
    expect(await under.outbox.status()).toMatchObject({ one: { ready: 0 }, two: { ready: 0 } });
  });

  test('the same key twice delivers once', async () => {
    await using server = await startFaultServer(answer());
    await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1 }] });

    await Promise.all([under.outbox.publish(publication), under.outbox.publish(publication)]);
    await until(() => under.events.some(({ type }) => type === 'delivery'));
    await under.outbox.publish(publication);
    await under.outbox.close();

    expect(server.requests).toHaveLength(1);
  });

  test('another event under the same key is another message', async () => {
    await using server = await startFaultServer(answer());
    await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1 }] });
    const callStarted = defineEvent('call.started', { 1: z.object({ callId: z.string() }) });

    await under.outbox.publish({ ...publication, event: callStarted });
    await under.outbox.publish(publication);
    await until(() => under.events.filter(({ type }) => type === 'delivery').length === 2);

    expect(server.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type).toSorted()).toEqual([
      'call.completed',
      'call.started',
    ]);
  });

  test('with confirmWithinMs says whether it was delivered at once', async () => {
    await using server = await startFaultServer(answer(), answer({ status: 503 }), silence);
    await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1 }] });
    const publish = (idempotencyKey: string) =>
      under.outbox.publish({ ...publication, idempotencyKey, confirmWithinMs: 500 });

    expect(await publish('a')).toEqual({ status: 'delivered', destinations: { crm: 'delivered' } });
    expect(await publish('a')).toEqual({ status: 'delivered', destinations: { crm: 'delivered' } });
    expect(await publish('b')).toEqual({ status: 'queued', destinations: { crm: 'queued' } });
    const slow = publish('c');
    await server.request(3);
    await under.clock.advance(500);
    expect(await slow).toEqual({ status: 'queued', destinations: { crm: 'queued' } });
  });

  test('in a process that does not deliver does not wait', async () => {
    await using under = openOutbox({
      deliver: false,
      destinations: [{ name: 'crm', url: 'https://crm.example', version: 1 }],
    });

    expect(await under.outbox.publish({ ...publication, confirmWithinMs: 500 })).toMatchObject({ status: 'queued' });
    expect(await under.outbox.status()).toMatchObject({ crm: { ready: 1, isDisabled: false } });
  });

  test('that is stored resolves, though the queue is closed before the delivery is confirmed', async () => {
    let isAsked = false;
    const get = () => {
      isAsked = true;
      return Promise.reject(new StoreError('the message queue is closed'));
    };
    const queue = createMemoryMessageQueue();
    await using under = openOutbox({
      queue: { ...queue, consume: () => ({ close: async () => {} }), admin: { ...queue.admin, get } },
      destinations: [{ name: 'crm', url: 'https://crm.example', version: 1 }],
    });

    const published = under.outbox.publish({ ...publication, confirmWithinMs: 500 });
    await until(() => isAsked);
    await under.clock.advance(500);

    expect(await published).toEqual({ status: 'queued', destinations: { crm: 'queued' } });
  });

  test('keeps the payload as it was at that moment', async () => {
    await using server = await startFaultServer(answer());
    await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1 }] });
    const changing = { callId: 'before' };

    const published = under.outbox.publish({ ...publication, payload: changing });
    await published;
    changing.callId = 'after';

    expect(JSON.parse((await server.request(1)).body)).toMatchObject({ data: { callId: 'before' } });
  });
});

describe('a destination that fails', () => {
  test.each<[what: string, reply: Reply, status: number | undefined, waitMs: number]>([
    ['500', answer({ status: 500 }), 500, 1_000],
    ['429 with seconds', answer({ status: 429, headers: { 'retry-after': '7' } }), 429, 7_000],
    ['429 that says nothing', answer({ status: 429 }), 429, 1_000],
    ['503 with Retry-After', answer({ status: 503, headers: { 'retry-after': '5' } }), 503, 5_000],
    ['a connection that is reset', resetBeforeAnswer, undefined, 1_000],
    [
      'a reset in the middle of the body',
      resetAfter(Buffer.concat([head(200, { 'content-length': '9' }), Buffer.from('{')])),
      undefined,
      1_000,
    ],
    [
      'a redirect, which is not followed',
      answer({ status: 302, headers: { location: 'http://127.0.0.1:1/' } }),
      302,
      1_000,
    ],
  ])('%s is tried again', async (_what, reply, status, waitMs) => {
    await using server = await startFaultServer(reply, answer());
    await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1 }] });

    await under.outbox.publish(publication);
    const failed = await until(() => under.events.find(({ type }) => type === 'delivery'));
    expect(failed).toMatchObject({ outcome: 'retry', retryInMs: waitMs, attempt: 1, ...(status && { status }) });
    expect('status' in failed).toBe(status !== undefined);
    await retried(under);

    expect(await server.request(2)).toMatchObject({ headers: { 'idempotency-key': 'CA1:completed' } });
  });

  test('a hang ends with the time of the attempt', async () => {
    await using server = await startFaultServer(silence, answer());
    await using under = openOutbox({
      destinations: [{ name: 'crm', url: server.origin, version: 1, attemptTimeoutMs: 3_000 }],
    });
    await under.outbox.publish(publication);
    await server.request(1);

    await under.clock.advance(3_000);

    const failed = await until(() => under.events.find(({ type }) => type === 'delivery'));
    expect(failed).toMatchObject({ outcome: 'retry', reason: 'timeout' });
  });

  test('after six attempts the message is a dead letter, and can be redriven with the same bytes', async () => {
    await using server = await startFaultServer(
      ...([1, 2, 3, 4, 5, 6].map(() => answer({ status: 503 })) as [Reply, ...Reply[]]),
      answer(),
    );
    await using under = openOutbox({
      destinations: [{ name: 'crm', url: server.origin, version: 1, circuit: false }],
    });
    const { outbox, clock, events, alerts } = under;
    await outbox.publish({ ...publication, payload: { callId: 'of ada@example.com' } });
    for (const attempt of [1, 2, 3, 4, 5]) {
      await until(() => events.filter(({ type }) => type === 'delivery').length === attempt);
      await retried(under);
    }
    await until(() => alerts.length > 0);

    const id = 'outbox:crm:call.completed/CA1:completed';
    const [letter] = await outbox.deadLetters.list();
    expect(letter).toEqual({
      id,
      destination: 'crm',
      event: 'call.completed',
      version: 1,
      idempotencyKey: 'CA1:completed',
      attempts: 6,
      publishedAt: Date.UTC(2026, 0, 1),
      diedAt: Date.now(),
      reason: 'attempts_exhausted',
      lastFailure: { reason: 'server_error', status: 503 },
      body: expect.objectContaining({ type: 'call.completed' }) as object,
      cursor: expect.any(String) as string,
    });
    expect(JSON.stringify(letter)).not.toContain('ada@example.com');
    await clock.advance(60_000);
    expect(await outbox.status()).toMatchObject({ crm: { dead: 1, oldestAgeMs: 0, oldestDeadAgeMs: 60_000 } });
    expect(alerts).toEqual([
      { type: 'dead-letter', id, destination: 'crm', event: 'call.completed', reason: 'attempts_exhausted' },
    ]);
    expect(events.filter(({ type }) => type === 'message-dead')).toMatchObject([{ attempts: 6, destination: 'crm' }]);

    expect(await outbox.deadLetters.redrive({ ids: [id] })).toBe(1);
    const last = await server.request(7);
    expect(last.body).toBe(server.requests[0]?.body);
    expect(last.headers['idempotency-key']).toBe('CA1:completed');
    await until(() => events.some((event) => event.type === 'delivery' && event.outcome === 'delivered'));
    expect(await outbox.deadLetters.list()).toEqual([]);
  });

  test.each([400, 401])('a %s is dead at once', async (status) => {
    await using server = await startFaultServer(answer({ status }));
    await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1 }] });
    await under.outbox.publish(publication);

    await until(() => under.alerts.length > 0);

    expect(await under.outbox.deadLetters.list({ destination: 'crm' })).toMatchObject([
      { reason: 'client_error', attempts: 1, lastFailure: { status } },
    ]);
    expect(await under.outbox.deadLetters.discard({ since: 0, destination: 'crm' })).toBe(1);
    expect(await under.outbox.status()).toMatchObject({ crm: { dead: 0 } });
  });

  test('a 410 disables it; its messages wait until it is enabled', async () => {
    await using server = await startFaultServer(answer({ status: 410 }), answer());
    await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1 }] });
    const { outbox, alerts } = under;
    await outbox.publish(publication);
    await until(() => alerts.length === 2);
    await outbox.publish({ ...publication, idempotencyKey: 'next' });

    expect(alerts.map(({ type }) => type).toSorted()).toEqual(['dead-letter', 'destination-disabled']);
    expect(await outbox.status()).toMatchObject({ crm: { isDisabled: true, ready: 1, dead: 1 } });
    expect(server.requests).toHaveLength(1);

    await outbox.enable('crm');
    expect((await server.request(2)).headers['idempotency-key']).toBe('next');
  });

  test('after failing for too long it is disabled, and what waits is kept', async () => {
    await using server = await startFaultServer(answer({ status: 503 }));
    await using under = openOutbox({
      destinations: [{ name: 'crm', url: server.origin, version: 1, disableAfterMs: 3_500, circuit: false }],
    });
    const { outbox, events, alerts } = under;
    await outbox.publish(publication);
    await until(() => events.filter(({ type }) => type === 'delivery').length === 1);
    await retried(under);
    await until(() => events.filter(({ type }) => type === 'delivery').length === 2);
    expect(alerts).toEqual([]);
    await retried(under);
    await until(() => alerts.length === 1);

    expect(alerts).toEqual([{ type: 'destination-disabled', destination: 'crm', reason: 'failing' }]);
    expect(await outbox.status()).toMatchObject({ crm: { isDisabled: true, dead: 0, delayed: 1 } });
  });

  test('it does not slow the others, and an open circuit spends no attempts', async () => {
    await using dead = await startFaultServer(silence);
    await using alive = await startFaultServer(answer());
    const circuit = { minimumVolume: 2, openMs: 60_000 };
    await using under = openOutbox({
      destinations: [
        { name: 'dead', url: dead.origin, version: 1, concurrency: 2, attemptTimeoutMs: 1_100, circuit },
        { name: 'alive', url: alive.origin, version: 1, concurrency: 2 },
      ],
    });
    const { outbox, events, clock } = under;
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    for (const idempotencyKey of keys) await outbox.publish({ ...publication, idempotencyKey });

    await alive.request(20);
    expect(dead.requests.length).toBeLessThanOrEqual(2);
    await until(() => dead.requests.length === 2);
    await clock.advance(1_100);
    await until(
      () => events.filter((event) => event.type === 'delivery' && event.outcome === 'postponed').length >= 17,
    );

    const put = events.find((event) => event.type === 'delivery' && event.outcome === 'postponed');
    expect(put).toMatchObject({ destination: 'dead', reason: 'circuit_open', attempt: 1 });
    expect(await outbox.status()).toMatchObject({ dead: { dead: 0 }, alive: { ready: 0, dead: 0 } });
    // The two, and one that was let in between their ends.
    expect(dead.requests.length).toBeLessThanOrEqual(3);
  });

  test('a rate limit of its own is kept, and what does not fit is put off', async () => {
    await using server = await startFaultServer(answer());
    await using under = openOutbox({
      destinations: [{ name: 'crm', url: server.origin, version: 1, rateLimit: { limit: 2, perMs: 60_000 } }],
    });
    for (const idempotencyKey of ['a', 'b', 'c']) await under.outbox.publish({ ...publication, idempotencyKey });

    const put = await until(() =>
      under.events.find((event) => event.type === 'delivery' && event.outcome === 'postponed'),
    );

    expect(put).toMatchObject({ reason: 'rate_limit', retryInMs: 66_000 });
    const delivered = () => under.events.filter((event) => event.type === 'delivery' && event.outcome === 'delivered');
    await until(() => delivered().length === 2);
    await under.clock.advance(66_000);
    await server.request(3);
    expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set(['a', 'b', 'c']));
  });

  test('a missing secret costs no attempt, and onAlert gets it once', async () => {
    await using server = await startFaultServer(answer(), answer());
    let secrets: readonly string[] = [];
    await using under = openOutbox({
      destinations: [{ name: 'crm', url: server.origin, version: 1, signing: { secrets: () => secrets } }],
    });
    await under.outbox.publish(publication);
    const put = await until(() => under.events.find(({ type }) => type === 'delivery'));
    expect(put).toMatchObject({ outcome: 'postponed', reason: 'no_credential', retryInMs: 33_000 });

    await under.outbox.publish({ ...publication, idempotencyKey: 'another' });
    await until(() => under.events.filter(({ type }) => type === 'delivery').length === 2);
    expect(under.alerts).toEqual([
      { type: 'no-credential', destination: 'crm', error: expect.any(AuthenticationError) },
    ]);

    secrets = ['now it is there'];
    await under.clock.advance(33_000);

    expect((await server.request(1)).headers).toHaveProperty('x-signature');
  });
});

test('events have the whole story, without what people said', async () => {
  await using server = await startFaultServer(answer({ status: 503 }), answer());
  await using under = openOutbox({ tenant: 't1', destinations: [{ name: 'crm', url: server.origin, version: 1 }] });
  await under.outbox.publish({ ...publication, payload: { callId: 'call +14155550100 back' } });
  await until(() => under.events.some(({ type }) => type === 'delivery'));
  await retried(under);
  await until(() => under.events.length === 3);

  expect(under.events).toMatchObject([
    { type: 'message-published', api: 'outbox', tenant: 't1', destination: 'crm', event: 'call.completed', version: 1 },
    {
      type: 'delivery',
      direction: 'out',
      operation: 'outbox.crm',
      attempt: 1,
      outcome: 'retry',
      status: 503,
      retryInMs: 1_000,
    },
    { type: 'delivery', attempt: 2, outcome: 'delivered', status: 200, idempotencyKey: 'CA1:completed' },
  ]);
  expect(JSON.stringify(under.events)).not.toContain('4155550100');
});

test('a message that every process dies of is a dead letter after six attempts, and is not sent again', async () => {
  await using server = await startFaultServer(silence);
  const clock = createVirtualClock();
  const queue = createMemoryMessageQueue({});
  const setting = { queue, destinations: [{ name: 'crm', url: server.origin, version: 1 }] };
  await using publisher = openOutbox({ ...setting, deliver: false });
  await publisher.outbox.publish(publication);
  for (const attempt of [1, 2, 3, 4, 5, 6]) {
    const died = Promise.withResolvers<number>();
    const options = { groups: { 'outbox:crm': 1 }, leaseMs: 1_000, maximumAttempts: 7 };
    const consumer = queue.consume(options, async (_, lease) => {
      died.resolve(lease.attempt);
      return new Promise(() => {});
    });
    expect(await died.promise).toBe(attempt);
    await clock.advance(1_000);
    await consumer.close(0);
  }

  await using under = openOutbox(setting);
  await until(() => under.alerts.length > 0);

  expect(await under.outbox.deadLetters.list()).toMatchObject([
    { attempts: 7, reason: 'attempts_exhausted', lastFailure: { reason: 'never_ended' } },
  ]);
  expect(server.requests).toEqual([]);
});

test('dead letters of others in the same queue are neither seen nor touched', async () => {
  await using server = await startFaultServer(answer({ status: 400 }));
  createVirtualClock();
  const queue = createMemoryMessageQueue({});
  await queue.enqueue([{ id: 'of a receiver', group: 'webhook:webhooks', payload: null }]);
  const others = queue.consume({ groups: { 'webhook:webhooks': 1 }, leaseMs: 1_000, maximumAttempts: 1 }, async () => ({
    type: 'dead',
    reason: 'handler_failed',
  }));
  await eventually(async () => (await queue.admin.stats()).dead === 1);
  await others.close(0);
  await using under = openOutbox({
    queue,
    destinations: [{ name: 'crm', url: server.origin, version: 1 }],
  });
  const { deadLetters } = under.outbox;
  await under.outbox.publish(publication);
  await until(() => under.alerts.length > 0);

  expect((await deadLetters.list({ limit: 1 })).map(({ id }) => id)).toEqual([
    'outbox:crm:call.completed/CA1:completed',
  ]);
  expect(await deadLetters.redrive({ ids: ['of a receiver'] })).toBe(0);
  expect(await deadLetters.discard({ since: 0 })).toBe(1);
  expect(await queue.admin.get('of a receiver')).toMatchObject({ state: 'dead', reason: 'handler_failed' });
});

test('closing hands back what is under way; another outbox on the queue delivers it', async () => {
  await using server = await startFaultServer(silence, answer());
  const destinations = [{ name: 'crm', url: server.origin, version: 1 }];
  const queue = createMemoryMessageQueue();
  const kept = { ...queue, close: async () => {} };
  const first = createOutbox({ queue: kept, destinations, allowNetworks: ['127.0.0.0/8'] });
  await first.publish(publication);
  await server.request(1);
  await first.close(0);

  await using second = createOutbox({ queue, destinations, allowNetworks: ['127.0.0.0/8'] });

  expect((await server.request(2)).headers['idempotency-key']).toBe('CA1:completed');
  await second.close();
});

const crm = { name: 'a', url: 'https://crm.example', version: 1 };
const insecure = 'must be an https URL; http is for addresses within allowNetworks';
const noUrl = 'must be an absolute https URL';
const noVersion = 'must be a whole number above 0, or one for each event';

test.each<[what: string, given: readonly object[], field: string, problem: string]>([
  ['two of one name', [{}, {}], 'destination.name', 'must be unique, and a is not'],
  [
    'a name with a slash',
    [{ name: 'a/b' }],
    'destination.name',
    'must be letters, digits, dots, dashes and underscores',
  ],
  ['plain http', [{ url: 'http://crm.example' }], 'destination a: url', insecure],
  ['http to an address that is not one’s own', [{ url: 'http://8.8.8.8' }], 'destination a: url', insecure],
  ['http to an IPv6 address that is not one’s own', [{ url: 'http://[2606:4700::1]' }], 'destination a: url', insecure],
  ['another protocol', [{ url: 'ftp://crm.example' }], 'destination a: url', noUrl],
  [
    'no address',
    [{ url: undefined }],
    'destination a: url',
    'must be given, an absolute https URL, unless deliver is false',
  ],
  ['an address that is no text', [{ url: 7 as unknown as string }], 'destination a: url', noUrl],
  [
    'a password in the address',
    [{ url: 'https://me:secret@crm.example' }],
    'destination a: url',
    'must not contain a user name or password',
  ],
  [
    'a user name in the address',
    [{ url: 'https://me@crm.example' }],
    'destination a: url',
    'must not contain a user name or password',
  ],
  ['a fragment', [{ url: 'https://crm.example/#a' }], 'destination a: url', 'must not contain a fragment'],
  ['another method', [{ method: 'DELETE' }], 'destination a: method', "must be 'POST', 'PUT', 'PATCH' or 'GET'"],
  [
    'a signature over a body that a GET does not have',
    [{ method: 'GET', signing: { secrets: () => ['s'.repeat(32)] } }],
    'destination a: signing',
    'must be left out for a GET: a signature covers the body, and a GET has none',
  ],
  ['version 0', [{ version: 0 }], 'destination a: version', noVersion],
  ['no version', [{ version: undefined }], 'destination a: version', noVersion],
  ['no version of any event', [{ version: {} }], 'destination a: version', noVersion],
  ['version 0 of one event', [{ version: { a: 1, b: 0 } }], 'destination a: version', noVersion],
  ['no events', [{ events: [] }], 'destination a: events', 'must name one at least, or be left out'],
  [
    'an event without a version',
    [{ version: { b: 1 }, events: ['b', 'c'] }],
    'destination a: events',
    'has no version of c, which would never be sent',
  ],
  ['no places', [{ concurrency: 0 }], 'destination a: concurrency', 'must be a whole number above 0'],
  [
    'endless attempts',
    [{ attemptTimeoutMs: 60_001 }],
    'destination a: attemptTimeoutMs',
    'must be above 0 and at most 60000',
  ],
  [
    'attempts without time',
    [{ attemptTimeoutMs: 0 }],
    'destination a: attemptTimeoutMs',
    'must be above 0 and at most 60000',
  ],
  ['no time to fail', [{ disableAfterMs: 0 }], 'destination a: disableAfterMs', 'must be above 0'],
])('destinations cannot have %s', (_what, given, field, problem) => {
  const destinations = given.map((each) => ({ ...crm, ...each }));

  expect(() => createOutbox({ queue: createMemoryMessageQueue(), destinations })).toThrow(
    expect.objectContaining({ code: 'invalid_argument', field, problem }),
  );
});

test.each([
  ['a header that cannot be sent', { headers: { 'x-a': 'b\r\nc' } }, 'destination a: headers.x-a'],
  ['a header without a proper name', { headers: { 'x a': 'b' } }, 'names made of letters'],
  ['a version header without a proper name', { versionHeader: 'x a' }, 'names made of letters'],
])('destinations cannot have %s', (_what, given, problem) => {
  expect(() => createOutbox({ queue: createMemoryMessageQueue(), destinations: [{ ...crm, ...given }] })).toThrow(
    problem,
  );
});

test.each([
  ['http within the networks of one’s own', { url: 'http://10.0.0.1/{version}' }],
  ['http to an IPv6 address of one’s own', { url: 'http://[fd00::1]:8080/' }],
  ['http to this machine', { url: 'http://localhost' }],
  ['a version as port', { url: 'https://crm.example:{version}443/' }],
  ['attempts of a minute', { attemptTimeoutMs: 60_000 }],
  ['one place', { concurrency: 1 }],
  ['a version of each event that it names', { version: { b: 1, c: 2 }, events: ['b', 'c'] }],
])('destinations may have %s', async (_what, given) => {
  const allowNetworks = ['10.0.0.0/8', 'fd00::/8'];
  const outbox = createOutbox({
    queue: createMemoryMessageQueue(),
    allowNetworks,
    destinations: [{ ...crm, ...given }],
  });

  expect(Object.keys(await outbox.status())).toEqual(['a']);
  await outbox.close();
});

test.each(['', 'x'.repeat(256), undefined])('a publication cannot have the key %s', async (key) => {
  await using under = openOutbox({ destinations: [crm], deliver: false });
  // What an application without types may pass.
  const idempotencyKey = key as string;

  await expect(under.outbox.publish({ ...publication, idempotencyKey })).rejects.toMatchObject({
    code: 'invalid_argument',
    operation: 'outbox.publish',
    field: 'idempotencyKey',
    problem: 'must be a text of 1 to 255 characters',
  });
});

test('a publication may have a key of 255 characters, but none that no header can carry', async () => {
  await using under = openOutbox({ destinations: [crm], deliver: false });

  const longest = { ...publication, idempotencyKey: 'x'.repeat(255) };
  expect(await under.outbox.publish(longest)).toEqual({ status: 'queued', destinations: { a: 'queued' } });
  await expect(under.outbox.publish({ ...publication, idempotencyKey: 'a\nb' })).rejects.toMatchObject({
    field: 'idempotencyKey',
  });
});

test('a destination is disabled and enabled by its name; another name is refused', async () => {
  await using under = openOutbox({ destinations: [crm], deliver: false });
  const { outbox, events } = under;
  const nothing = { ready: 0, delayed: 0, leased: 0, dead: 0, oldestAgeMs: 0, oldestDeadAgeMs: 0 };

  await outbox.disable('a');
  expect(await outbox.status()).toEqual({ a: { ...nothing, isDisabled: true } });
  await outbox.enable('a');
  expect(await outbox.status()).toEqual({ a: { ...nothing, isDisabled: false } });

  expect(events).toEqual([
    {
      type: 'destination-disabled',
      api: 'outbox',
      operation: 'outbox.a',
      at: Date.now(),
      destination: 'a',
      reason: 'by_hand',
    },
  ]);
  const refused = {
    code: 'invalid_argument',
    field: 'destination',
    problem: 'is not one of this outbox: give the name of one in destinations',
  };
  await expect(outbox.disable('b')).rejects.toMatchObject(refused);
  await expect(outbox.enable('b')).rejects.toMatchObject(refused);
});

test('a publication is confirmed when every destination has it', async () => {
  await using quick = await startFaultServer(answer());
  await using failing = await startFaultServer(answer({ status: 503 }));
  await using under = openOutbox({
    destinations: [
      { name: 'quick', url: quick.origin, version: 1 },
      { name: 'failing', url: failing.origin, version: 1 },
    ],
  });

  expect(await under.outbox.publish({ ...publication, confirmWithinMs: 500 })).toEqual({
    status: 'queued',
    destinations: { quick: 'delivered', failing: 'queued' },
  });
});

test('disposing of an outbox closes its queue', async () => {
  const queue = createMemoryMessageQueue();
  let isClosed = false;
  const close: typeof queue.close = async (drainMs) => {
    isClosed = true;
    await queue.close(drainMs);
  };
  await createOutbox({ queue: { ...queue, close }, destinations: [crm] })[Symbol.asyncDispose]();

  expect(isClosed).toBe(true);
});

test('all events of a message name its phone call', async () => {
  await using server = await startFaultServer(answer({ status: 422 }));
  await using under = openOutbox({ destinations: [{ ...crm, url: server.origin }] });

  await under.outbox.publish({ ...publication, callId: 'CA1' });
  await until(() => under.alerts.length > 0);

  const about = {
    api: 'outbox',
    at: Date.now(),
    destination: 'a',
    event: 'call.completed',
    version: 1,
    idempotencyKey: 'CA1:completed',
    callId: 'CA1',
  };
  expect(under.events).toEqual([
    { type: 'message-published', operation: 'outbox.publish', ...about },
    {
      type: 'delivery',
      operation: 'outbox.a',
      direction: 'out',
      ...about,
      outcome: 'dead',
      status: 422,
      reason: 'client_error',
      attempt: 1,
      durationMs: 0,
      body: expect.objectContaining({ type: 'call.completed' }) as object,
    },
    { type: 'message-dead', operation: 'outbox.a', ...about, attempts: 1, reason: 'client_error' },
  ]);
});

test('a circuit that opens emits an event; without a circuit every message is tried', async () => {
  await using server = await startFaultServer(answer({ status: 503 }));
  const outcomes = async (options: object) => {
    await using under = openOutbox({
      destinations: [{ ...crm, url: server.origin, concurrency: 1, ...options }],
    });
    for (let index = 0; index < 12; index += 1)
      await under.outbox.publish({ ...publication, idempotencyKey: `k${index}` });
    const deliveries = () => under.events.flatMap((event) => (event.type === 'delivery' ? [event.outcome] : []));
    await until(() => deliveries().length === 12);
    return { outcomes: deliveries(), circuit: under.events.filter(({ type }) => type === 'circuit') };
  };
  const times = (count: number, outcome: string) => Array.from({ length: count }, () => outcome);

  expect(await outcomes({})).toMatchObject({
    outcomes: [...times(8, 'retry'), ...times(4, 'postponed')],
    circuit: [{ type: 'circuit', operation: 'outbox.a', from: 'closed', to: 'open' }],
  });
  expect(await outcomes({ circuit: false })).toEqual({ outcomes: times(12, 'retry'), circuit: [] });
});

test('a destination that answers 410 is disabled, and an event says so', async () => {
  await using server = await startFaultServer(answer({ status: 410 }));
  await using under = openOutbox({ destinations: [{ ...crm, url: server.origin }] });

  await under.outbox.publish(publication);
  await until(() => under.alerts.length === 2);

  expect(under.events.filter(({ type }) => type === 'destination-disabled')).toEqual([
    {
      type: 'destination-disabled',
      api: 'outbox',
      operation: 'outbox.a',
      at: Date.now(),
      destination: 'a',
      reason: 'gone',
    },
  ]);
  expect(under.alerts).toContainEqual({ type: 'destination-disabled', destination: 'a', reason: 'gone' });
});

test('a queue that fails while it is consumed is an alert', async () => {
  const error = new StoreError('the disk is full');
  const queue = createMemoryMessageQueue();
  await using under = openOutbox({
    queue: {
      ...queue,
      consume: ({ onError }) => {
        onError?.(error);
        return { close: async () => {} };
      },
    },
    destinations: [crm],
  });

  expect(under.alerts).toEqual([{ type: 'queue-failed', error }]);
});

test('a message of a destination that this process does not know is left to another', async () => {
  createVirtualClock();
  const queue = createMemoryMessageQueue({});
  const handled: unknown[] = [];
  await using under = openOutbox({
    queue: {
      ...queue,
      consume: (_options, handle) => {
        const message = { id: 'x', group: 'outbox:other', payload: {} };
        const lease = { attempt: 1, enqueuedAt: 0, signal: new AbortController().signal, extend: async () => true };
        void Promise.resolve(handle(message, lease)).then((decision) => handled.push(decision));
        return { close: async () => {} };
      },
    },
    destinations: [crm],
  });
  await until(() => handled.length > 0);

  expect(handled).toEqual([{ type: 'retry-at', at: Date.now() + 10_000, uncounted: true }]);
  expect(under.events).toEqual([]);
});

/** Moves to the moment of the retry that was reported last. */
const retried = async ({ events, clock }: Pick<OpenOutbox, 'events' | 'clock'>) => {
  const retryInMs = await until(() => {
    const last = events.findLast((event) => event.type === 'delivery');
    return last?.type === 'delivery' && last.outcome === 'retry' && last.retryInMs;
  });
  await clock.advance(retryInMs);
};
