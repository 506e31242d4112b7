import { describe, expect, test } from 'vitest';
import { createMemoryRateLimiter } from '../../src/stores/memory-rate-limiter.ts';
import { connect, createContact, failureOf, getContact } from '../support/connect.ts';
import { answer, type Reply, resetBeforeAnswer, silence, startFaultServer } from '../support/fault-server.ts';

const operations = [getContact.operation, createContact.operation];
const afterMs = 200;
const ok = answer({ body: '{"id":"1"}' });

/** A read whose first attempt hangs. */
const slowRead = async (
  replies: readonly [Reply, ...Reply[]],
  options: Parameters<typeof connect>[1] = {},
  operation = getContact,
) => {
  const server = await startFaultServer(...replies);
  const { client, clock, events } = connect(server, { hedge: { operations, afterMs }, ...options });
  const end = client.request(operation);
  // Also when it fails before anybody looks.
  end.catch(() => {});
  await server.request(1);
  await clock.advance(afterMs);
  return { server, client, clock, events, end };
};

describe('a read that takes longer than usual', () => {
  test('is sent a second time, and the first answer counts; the other attempt is aborted', async () => {
    const { server, end, events } = await slowRead([silence, ok]);
    await using _ = server;
    expect(await end).toEqual({ id: '1' });
    await server.closed(1);
    expect(server.requests).toHaveLength(2);
    const attempts = events.flatMap((event) => (event.type === 'attempt' ? [event] : []));
    expect(attempts.map(({ attempt, status, waits, error }) => ({ attempt, status, waits, error }))).toEqual([
      { attempt: 2, status: 200, waits: [{ reason: 'hedge', ms: afterMs }], error: undefined },
      { attempt: 1, status: undefined, waits: [], error: { code: 'aborted' } },
    ]);
    expect(events.find(({ type }) => type === 'call')).toMatchObject({ attempts: 2, outcome: 'ok' });
  });

  test('is not, when it answers in time', async () => {
    await using server = await startFaultServer(ok);
    const { client, clock } = connect(server, { hedge: { operations, afterMs } });
    await client.request(getContact);
    await clock.advance(1_000);
    expect(server.requests).toHaveLength(1);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('goes on with its first attempt when the second fails', async () => {
    let answerFirst = () => {};
    const held: Reply = (socket, request) => {
      answerFirst = () => void ok(socket, request);
    };
    const { server, end } = await slowRead([held, resetBeforeAnswer]);
    await using _ = server;
    await server.closed(2);
    answerFirst();
    expect(await end).toEqual({ id: '1' });
  });

  test('waits for the second attempt when the first fails', async () => {
    let failFirst = () => {};
    let answerSecond = () => {};
    const first: Reply = (socket, request) => {
      failFirst = () => void resetBeforeAnswer(socket, request);
    };
    const second: Reply = (socket, request) => {
      answerSecond = () => void ok(socket, request);
    };
    const { server, end } = await slowRead([first, second]);
    await using _ = server;
    await server.request(2);
    failFirst();
    await server.closed(1);
    answerSecond();
    expect(await end).toEqual({ id: '1' });
    expect(server.requests).toHaveLength(2);
  });

  test('fails as its first attempt when both do, and is never sent more often than `attempts`', async () => {
    let failFirst = () => {};
    const first: Reply = (socket, request) => {
      failFirst = () => void resetBeforeAnswer(socket, request);
    };
    const { server, end } = await slowRead([first, answer({ status: 503 })], { attempts: 2 });
    await using _ = server;
    await server.request(2);
    failFirst();
    expect(await failureOf(end)).toMatchObject({ code: 'max_retries_exceeded', reason: 'network', attempts: 2 });
    expect(server.requests).toHaveLength(2);
  });
});

describe('no second attempt is sent', () => {
  test.each<[when: string, options: Parameters<typeof connect>[1]]>([
    ['when a call waits at the rate limit', { rateLimit: { limit: 1, perMs: 60_000 } }],
    ['when a 429 keeps all calls waiting', { rateLimit: pausedLimiter() }],
    ['when the last request of the period is needed', { quota: { limit: 2, perMs: 60_000 } }],
    ['when no other attempt is allowed', { attempts: 1 }],
    ['for an operation that is not named', { hedge: { operations: ['messaging.contacts.search'], afterMs } }],
  ])('%s', async (_when, options) => {
    const { server, clock } = await slowRead([silence, ok], options);
    await using _ = server;
    await clock.advance(afterMs);
    expect(server.requests).toHaveLength(1);
  });

  test('of the probe of a circuit that is half-open', async () => {
    await using server = await startFaultServer(answer({ status: 503 }), silence, ok);
    const circuit = { minimumVolume: 1, openMs: 1_000 };
    const { client, clock } = connect(server, { hedge: { operations, afterMs }, circuit, attempts: 1 });
    await failureOf(client.request(getContact));
    await clock.advance(1_000);
    const probe = failureOf(client.request(getContact, { deadline: 1_000 }));
    await server.request(2);
    expect(client.status().circuit).toBe('half-open');
    await clock.advance(1_000);
    expect(await probe).toMatchObject({ reason: 'timeout', attempts: 1 });
    expect(server.requests).toHaveLength(2);
  });

  test('of a write', async () => {
    const { server, clock } = await slowRead([silence, ok], {}, createContact);
    await using _ = server;
    await clock.advance(afterMs);
    expect(server.requests).toHaveLength(1);
  });

  test('beyond the share of all requests', async () => {
    let isSlow = false;
    await using server = await startFaultServer((socket, request) => (isSlow ? silence : ok)(socket, request));
    const { client, clock } = connect(server, { hedge: { operations, afterMs, share: 0.1 } });
    for (let call = 0; call < 20; call += 1) await client.request(getContact);
    isSlow = true;
    const before = server.requests.length;
    const hangsUp = new AbortController();
    const reads = Array.from({ length: 10 }, () => failureOf(client.request(getContact, { signal: hangsUp.signal })));
    await server.request(before + 10);
    await clock.advance(afterMs);
    // Three may come at once after a quiet time, and the ten that were just sent earn one more.
    await server.request(before + 13);
    hangsUp.abort();
    await Promise.all(reads);
    expect(server.requests.length - before).toBe(13);
  });
});

test('after its usual time, once that is known', async () => {
  let isSlow = false;
  await using server = await startFaultServer((socket, request) => (isSlow ? silence : ok)(socket, request));
  const { client, clock } = connect(server, { hedge: { operations } });
  for (let call = 0; call < 20; call += 1) await client.request(getContact);
  isSlow = true;
  const before = server.requests.length;
  const hangsUp = new AbortController();
  const read = failureOf(client.request(getContact, { signal: hangsUp.signal }));
  await server.request(before + 1);
  // On virtual time all of them took none.
  await clock.advance(1);
  await server.request(before + 2);
  hangsUp.abort();
  expect(await read).toMatchObject({ code: 'aborted', attempts: 2 });
});

test.each([
  ['a share that is none', { operations, share: 0 }, 'hedge.share'],
  ['a time that is none', { operations, afterMs: -1 }, 'hedge.afterMs'],
  ['no operations', { operations: [] }, 'hedge.operations'],
])('%s is refused', async (_what, hedge, field) => {
  await using server = await startFaultServer(ok);
  expect(() => connect(server, { hedge })).toThrow(field);
});

/** A limiter that another part of the application has paused. */
function pausedLimiter() {
  const limiter = createMemoryRateLimiter({ limit: 100, perMs: 1_000 });
  const acquire: typeof limiter.acquire = async (options) => {
    await limiter.acquire(options);
    limiter.pause('', 60_000);
  };
  return { ...limiter, acquire };
}
