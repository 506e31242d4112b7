import { describe, expect, test } from 'vitest';
import { createMemoryRateLimiter } from '../../src/stores/memory-rate-limiter.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { connect, createContact, failureOf, getContact } from '../support/connect.ts';
import { until } from '../support/until.ts';
import { answer, type Reply, resetBeforeAnswer, silence, startFaultServer } from '../support/fault-server.ts';

const ignore = () => undefined;

describe('a dead API', () => {
  test('is sent at most 250 requests by a storm of 150 calls with 3 attempts each', async () => {
    await using server = await startFaultServer(answer({ status: 503 }));
    const { client } = connect(server);
    const ends = await Promise.all(Array.from({ length: 150 }, () => failureOf(client.request(getContact))));
    expect(server.requests.length).toBeLessThanOrEqual(250);
    expect(ends.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(server.requests.length);
    const reasons = ends.map((error) => `${error.code} ${(error as { reason?: string }).reason}`);
    expect(new Set(reasons)).toEqual(
      new Set(['max_retries_exceeded retry_budget', 'max_retries_exceeded server_error']),
    );
    expect(client.status()).toMatchObject({ retriesLeft: 0 });
  });

  test('is sent every attempt of every call where the retry budget is switched off', async () => {
    await using server = await startFaultServer(answer({ status: 503 }));
    const { client } = connect(server, { retryBudget: false });
    await Promise.all(Array.from({ length: 30 }, () => failureOf(client.request(getContact))));
    expect(server.requests).toHaveLength(90);
    expect(client.status().retriesLeft).toBeUndefined();
  });

  test('opens the circuit: what comes next is refused unsent, until a probe shows that it is back', async () => {
    let isBack = false;
    await using server = await startFaultServer((socket, request) =>
      answer(isBack ? { body: '{"id":"1"}' } : { status: 503 })(socket, request),
    );
    const { client, clock, events } = connect(server, { circuit: { minimumVolume: 3, openMs: 5_000 }, attempts: 1 });
    for (let call = 0; call < 3; call += 1) await failureOf(client.request(getContact));
    expect(client.status()).toMatchObject({ circuit: 'open', circuitRetryAfterMs: 5_000 });
    expect(await failureOf(client.request(getContact))).toMatchObject({
      code: 'circuit_open',
      outcome: 'not_sent',
      attempts: 0,
      retryAfterMs: 5_000,
    });
    expect(server.requests).toHaveLength(3);
    isBack = true;
    await clock.advance(5_000);
    expect(client.status()).toMatchObject({ circuit: 'half-open' });
    expect(await client.request(getContact)).toEqual({ id: '1' });
    expect(client.status()).toMatchObject({ circuit: 'closed', circuitRetryAfterMs: 0 });
    expect(events.filter(({ type }) => type === 'circuit')).toMatchObject([
      { from: 'closed', to: 'open' },
      { from: 'open', to: 'half-open' },
      { from: 'half-open', to: 'closed' },
    ]);
  });
});

/** Answers the first so many requests for each contact with a fault, and the others well. */
const failsFirst = (times: number, fault: Reply, well: Reply = answer({ body: '{"id":"1"}' })): Reply => {
  const seen = new Map<string, number>();
  return (socket, request) => {
    const count = (seen.get(request.url) ?? 0) + 1;
    seen.set(request.url, count);
    return (count > times ? well : fault)(socket, request);
  };
};

describe('an API that stumbles', () => {
  test.each([
    ['ten reads that each meet one 503', 10, 1, answer({ status: 503 })],
    ['thirty', 30, 1, answer({ status: 503 })],
    ['ninety', 90, 1, answer({ status: 500 })],
    ['ten whose connections are reset', 10, 1, resetBeforeAnswer],
    ['thirty whose connections are reset', 30, 1, resetBeforeAnswer],
    ['ten that each meet two of them', 10, 2, answer({ status: 502 })],
  ])('answers %s', async (_name, reads, times, fault) => {
    await using server = await startFaultServer(failsFirst(times, fault));
    const { client, events } = connect(server, { circuit: {} });
    const read = (id: number) => client.request({ ...getContact, path: `contacts/${id}` });

    const answers = await Promise.all(Array.from({ length: reads }, (_, id) => read(id)));

    expect(answers).toEqual(answers.map(() => ({ id: '1' })));
    expect(server.requests).toHaveLength(reads * (times + 1));
    expect(events.filter(({ type }) => type === 'circuit')).toEqual([]);
  });

  test('a 404 after a 503 is an answer too', async () => {
    const notFound = answer({ status: 404, body: '{}' });
    await using server = await startFaultServer(failsFirst(1, answer({ status: 503 }), notFound));
    const { client } = connect(server, { circuit: {} });
    const read = (id: number) => failureOf(client.request({ ...getContact, path: `contacts/${id}` }));

    const ends = await Promise.all(Array.from({ length: 30 }, (_, id) => read(id)));

    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set(['client_error']));
    expect(client.status()).toMatchObject({ circuit: 'closed' });
  });

  test('one that fails all three attempts of three calls opens the circuit, and not before', async () => {
    await using server = await startFaultServer(answer({ status: 503 }));
    const { client } = connect(server, { circuit: {} });

    for (let call = 0; call < 2; call += 1) await failureOf(client.request(getContact));
    expect(client.status()).toMatchObject({ circuit: 'closed' });
    await failureOf(client.request(getContact));

    expect(client.status()).toMatchObject({ circuit: 'open' });
    expect(server.requests).toHaveLength(9);
  });

  test('time-outs of an API that answers others are made up for by their retries', async () => {
    await using server = await startFaultServer(failsFirst(1, silence));
    const { client, clock } = connect(server, { circuit: {}, attemptTimeoutMs: 2_000 });
    const read = (id: string) => client.request({ ...getContact, path: `contacts/${id}` });
    const slow = Array.from({ length: 10 }, (_, id) => read(`slow-${id}`));
    await server.request(10);
    const well = read('well').catch(() => undefined);
    await server.request(11);
    await clock.advance(1_000);
    const again = read('well');

    expect(await again).toEqual({ id: '1' });
    await clock.advance(1_000);

    expect(await Promise.all(slow)).toHaveLength(10);
    expect(client.status()).toMatchObject({ circuit: 'closed' });
    await clock.advance(2_000);
    await well;
  });

  test('each time-out counts at once, since the next one would keep people waiting', async () => {
    await using server = await startFaultServer(silence);
    const { client, clock } = connect(server, { circuit: {}, attemptTimeoutMs: 2_000 });
    const hangUp = new AbortController();
    const call = () => failureOf(client.request(getContact, { signal: hangUp.signal }));
    const ends = Array.from({ length: 8 }, call);
    await server.request(8);

    await clock.advance(2_000);

    expect(client.status()).toMatchObject({ circuit: 'open' });
    hangUp.abort();
    await Promise.all(ends);
  });

  test('one that stays down gets one request when the circuit lets a probe through, however many wait', async () => {
    await using server = await startFaultServer(answer({ status: 503 }));
    const { client, clock } = connect(server, { circuit: {} });
    for (let call = 0; call < 3; call += 1) await failureOf(client.request(getContact));
    const before = server.requests.length;

    await clock.advance(5_000);
    const ends = await Promise.all(Array.from({ length: 20 }, () => failureOf(client.request(getContact))));

    expect(server.requests).toHaveLength(before + 1);
    expect(ends.filter(({ code }) => code === 'circuit_open')).toHaveLength(19);
    expect(client.status()).toMatchObject({ circuit: 'open' });
  });

  test('calls that were in flight when the circuit opened are not sent again, and do not keep it open', async () => {
    let isBack = false;
    await using server = await startFaultServer((socket, request) =>
      answer(isBack ? { body: '{"id":"1"}' } : { status: 503 })(socket, request),
    );
    const { client, clock } = connect(server, { circuit: { minimumVolume: 3 } });

    const ends = await Promise.all(Array.from({ length: 40 }, () => failureOf(client.request(getContact))));
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set(['max_retries_exceeded']));
    isBack = true;
    await clock.advance(5_000);

    expect(await client.request(getContact)).toEqual({ id: '1' });
    expect(client.status()).toMatchObject({ circuit: 'closed' });
  });
});

describe('the circuit of an API that is well', () => {
  test.each([
    ['404 on a look-up that may find nothing', 404],
    ['429', 429],
  ])('stays closed whatever number of %s', async (_what, status) => {
    await using server = await startFaultServer(answer({ status }));
    const { client } = connect(server, { circuit: { minimumVolume: 2 }, attempts: 1 });
    const lookUp = { ...getContact, absentOn404: true, returns: () => 'absent' };
    for (let call = 0; call < 6; call += 1) await client.request(lookUp).catch(ignore);
    expect(client.status()).toMatchObject({ circuit: 'closed' });
    expect(server.requests).toHaveLength(6);
  });

  test('stays closed when callers hang up', async () => {
    await using server = await startFaultServer(silence);
    const { client } = connect(server, { circuit: { minimumVolume: 2 } });
    for (let call = 1; call <= 4; call += 1) {
      const caller = new AbortController();
      const end = failureOf(client.request(getContact, { signal: caller.signal }));
      await server.request(call);
      caller.abort();
      await end;
    }
    expect(client.status()).toMatchObject({ circuit: 'closed' });
  });

  test('stays closed when the credential source hangs', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client, clock } = connect(server, {
      circuit: { minimumVolume: 2 },
      attempts: 1,
      authenticate: { read: () => new Promise(() => undefined), renew: async () => undefined },
    });
    for (let call = 0; call < 4; call += 1) {
      const end = failureOf(client.request(getContact));
      await clock.advance(8_000);
      expect(await end).toMatchObject({ code: 'authentication_failed', outcome: 'not_sent', attempts: 0 });
    }
    expect(client.status()).toMatchObject({ circuit: 'closed' });
    expect(server.connections()).toBe(0);
  });
});

test('an absent record is an answer: no retry is spent on it, and the call is well', async () => {
  await using server = await startFaultServer(answer({ status: 404, body: '{"error":"no one"}' }));
  const { client, events } = connect(server);
  const before = client.status().retriesLeft;
  expect(await client.request({ ...getContact, absentOn404: true, returns: (json) => ({ json }) })).toEqual({});
  expect(client.status().retriesLeft).toBe(before);
  expect(events.map(({ type }) => type)).toEqual(['attempt', 'call']);
  expect(events.at(-1)).toMatchObject({ outcome: 'ok', attempts: 1, status: 404 });
});

describe('under a rate limit', () => {
  test('each attempt takes a place', async () => {
    await using server = await startFaultServer(resetBeforeAnswer, resetBeforeAnswer, answer({ body: '{}' }));
    const { client } = connect(server, { rateLimit: { limit: 3, perMs: 60_000 } });
    await client.request(getContact);
    expect(await failureOf(client.request(getContact))).toMatchObject({ code: 'rate_limited', retryAfterMs: 60_000 });
    expect(server.requests).toHaveLength(3);
  });

  test('a caller who hangs up in the queue frees his place for the next one', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client, clock } = connect(server, { rateLimit: { limit: 1, perMs: 4_000 } });
    await client.request(getContact);
    const caller = new AbortController();
    const left = failureOf(client.request(getContact, { signal: caller.signal }));
    await clock.advance(0);
    expect(client.status().rateLimit).toMatchObject({ waiting: 1 });
    caller.abort();
    expect(await left).toMatchObject({ code: 'aborted', outcome: 'not_sent', attempts: 0 });
    expect(client.status().rateLimit).toEqual({ waiting: 0, nextFreeInMs: 4_000, pausedForMs: 0 });
    const next = client.request(getContact);
    await clock.advance(4_010);
    await next;
    expect(server.requests).toHaveLength(2);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('a live caller passes those in the background', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client, clock } = connect(server, { rateLimit: { limit: 1, perMs: 1_000 } });
    await client.request(getContact);
    const served: string[] = [];
    const calls = (['background', 'live'] as const).map((lane) =>
      client.request(getContact, { lane }).then(() => served.push(lane)),
    );
    for (let second = 0; second < 3; second += 1) {
      await clock.advance(1_010);
      if (second < 2) await server.request(second + 2);
    }
    await Promise.all(calls);
    expect(served).toEqual(['live', 'background']);
  });

  test('a wait beyond the deadline is refused before it begins', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client, clock } = connect(server, { rateLimit: { limit: 1, perMs: 9_000 } });
    await client.request(getContact);
    expect(await failureOf(client.request(getContact))).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 9_000,
      outcome: 'not_sent',
      elapsedMs: 0,
    });
    expect(clock.pendingTimers()).toBe(0);
  });

  test('two tenants share the limit of their app, and a 429 to one makes the other wait', async () => {
    await using server = await startFaultServer(
      answer({ status: 429, headers: { 'retry-after': '5' } }),
      answer({ body: '{}' }),
    );
    const clock = createVirtualClock();
    const rateLimit = createMemoryRateLimiter({ limit: 2, perMs: 60_000 });
    const ofTenant = (tenant: string) => connect(server, { rateLimit, tenant, attempts: 1 });
    const [acme, globex] = [ofTenant('acme'), ofTenant('globex')];
    expect(await failureOf(acme.client.request(getContact))).toMatchObject({ reason: 'rate_limited' });
    expect(globex.client.status().rateLimit).toMatchObject({ pausedForMs: 5_000 });
    const waited = globex.client.request(getContact);
    await clock.advance(5_010);
    await waited;
    expect(globex.events.find(({ type }) => type === 'attempt')).toMatchObject({
      tenant: 'globex',
      waits: [{ reason: 'rate_limit', ms: 5_000 }],
    });
    expect(await failureOf(acme.client.request(getContact))).toMatchObject({ code: 'rate_limited' });
    expect(server.requests).toHaveLength(2);
  });

  test('a call that got a 429 waits in the line of the limit, ahead of later ones', async () => {
    const limited = answer({ status: 429, headers: { 'retry-after': '5' } });
    await using server = await startFaultServer(limited, answer({ body: '{}' }));
    const rateLimit = { limit: 100, perMs: 60_000 };
    const { client, clock, waits, events } = connect(server, { rateLimit });
    const refused = client.request({ ...getContact, path: 'contacts/refused' });
    await server.request(1);
    await until(() => client.status().rateLimit.waiting === 1);
    const later = client.request({ ...getContact, path: 'contacts/later' });
    await clock.advance(5_010);
    await Promise.all([refused, later]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/contacts/refused',
      '/contacts/refused',
      '/contacts/later',
    ]);
    expect(waits).toEqual([]);
    const told = events.flatMap((event) => (event.type === 'attempt' ? [event.waits] : []));
    expect(told).toEqual([[], [{ reason: 'retry_after', ms: 5_000 }], [{ reason: 'rate_limit', ms: 5_000 }]]);
  });

  test('two clients of one tenant each have their own', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const options = { rateLimit: { limit: 1, perMs: 60_000 } };
    await connect(server, options).client.request(getContact);
    await connect(server, options).client.request(getContact);
    expect(server.requests).toHaveLength(2);
  });

  test('closing refuses who waits and leaves no timer', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client, clock } = connect(server, { rateLimit: { limit: 1, perMs: 4_000 } });
    await client.request(getContact);
    const waiting = failureOf(client.request(getContact));
    await clock.advance(0);
    await client.close();
    expect(await waiting).toMatchObject({ code: 'rate_limited', outcome: 'not_sent', attempts: 0 });
    expect(await failureOf(client.request(getContact))).toMatchObject({ code: 'rate_limited' });
    expect(clock.pendingTimers()).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  test('closing one client leaves a limiter that it was given to the others', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    createVirtualClock();
    const rateLimit = createMemoryRateLimiter({ limit: 2, perMs: 60_000 });
    await connect(server, { rateLimit }).client.close();
    await connect(server, { rateLimit }).client.request(getContact);
    expect(server.requests).toHaveLength(1);
  });
});

describe('under a quota', () => {
  test('the call beyond it is refused until the next period', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client, clock } = connect(server, { quota: { limit: 2, perMs: 60_000 } });
    await client.request(getContact);
    await client.request(getContact);
    expect(client.status()).toMatchObject({ quotaLeft: 0 });
    expect(await failureOf(client.request(createContact))).toMatchObject({
      code: 'quota_exceeded',
      retryAfterMs: 60_000,
      outcome: 'not_sent',
    });
    await clock.advance(60_000);
    await client.request(getContact);
    expect(client.status()).toMatchObject({ quotaLeft: 1 });
    expect(server.requests).toHaveLength(3);
  });
});
