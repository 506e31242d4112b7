import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { undiciTransport } from '../../src/http/transport/undici.ts';
import type { Operation } from '../../src/http/operation.ts';
import { connect, createContact, failureOf, getContact } from '../support/connect.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';

const attemptTimeoutMs = 800;
const kinds = ['undici', 'fetch'] as const;

/** The two transports, each with so many sockets. */
const transports = {
  undici: (sockets: number) => undiciTransport({ maximumSocketsPerOrigin: sockets }),
  fetch: (sockets: number) => {
    const before = getGlobalDispatcher();
    setGlobalDispatcher(new Agent({ connections: sockets }));
    onTestFinished(() => setGlobalDispatcher(before));
    return undefined;
  },
};

/** A client with few sockets of its own, and a server that answers when it's told to. */
const setUp = async (sockets = 5, kind: keyof typeof transports = 'undici') => {
  const waiting: (() => void)[] = [];
  const server = await startFaultServer((socket: Socket, request) => {
    waiting.push(() => void answer({ body: '{"id":"1"}' })(socket, request));
  });
  const transport = transports[kind](sockets);
  onTestFinished(() => server.close());
  const connected = connect(server, { transport, attemptTimeoutMs, circuit: {} });
  const answerAll = () => waiting.splice(0).forEach((one) => one());
  return { ...connected, server, answerAll };
};

describe('more calls than sockets of our own', () => {
  const unrepeatable = { ...createContact, repeat: 'never' as const };

  test.each<[string, keyof typeof transports, Operation<unknown>]>([
    ['reads by undici', 'undici', getContact],
    ['writes by undici', 'undici', unrepeatable],
    ['reads by fetch', 'fetch', getContact],
    ['writes by fetch', 'fetch', unrepeatable],
  ])('150 %s over five sockets all succeed, each with one attempt', async (_what, kind, operation) => {
    const { client, clock, server, answerAll, events } = await setUp(5, kind);
    const calls = Array.from({ length: 150 }, () => client.request(operation));

    for (let round = 1; round <= 30; round += 1) {
      await server.request(round * 5);
      await clock.advance(200);
      answerAll();
    }

    expect(await Promise.all(calls)).toHaveLength(150);
    expect(server.requests).toHaveLength(150);
    expect(events.filter(({ type }) => type === 'call')).toHaveLength(150);
    expect(events.filter((event) => event.type === 'call' && event.attempts !== 1)).toEqual([]);
    expect(client.status()).toMatchObject({ circuit: 'closed', retriesLeft: 100 });
  });

  test.each(kinds)('an attempt has all of its time once it has a socket: %s', async (kind) => {
    const { client, clock, server, answerAll } = await setUp(1, kind);
    const first = client.request(getContact);
    await server.request(1);
    const second = client.request({ ...createContact, repeat: 'never' });

    await clock.advance(700);
    answerAll();
    await first;
    await server.request(2);
    await clock.advance(799);
    answerAll();

    expect(await second).toEqual({ id: '1' });
    expect(server.requests).toHaveLength(2);
  });

  test.each(kinds)('what gets no answer on its socket ends after its own time: %s', async (kind) => {
    const { client, clock, server, answerAll } = await setUp(1, kind);
    const first = client.request(getContact);
    await server.request(1);
    const second = failureOf(client.request({ ...createContact, repeat: 'never' }));

    await clock.advance(700);
    answerAll();
    await first;
    await server.request(2);
    await clock.advance(800);

    expect(await second).toMatchObject({ reason: 'timeout', outcome: 'unknown', attempts: 1 });
  });

  test('the deadline ends the wait in the line, and nothing was sent', async () => {
    const { client, clock, server } = await setUp(1);
    void client.request(getContact, { deadline: 9_000, attemptTimeoutMs: 9_000 }).catch(() => undefined);
    await server.request(1);
    const waiting = failureOf(client.request(createContact, { deadline: 3_000 }));

    await clock.advance(3_000);

    const error = await waiting;
    expect(error).toMatchObject({ code: 'max_retries_exceeded', outcome: 'not_sent', attempts: 1 });
    expect(error.cause).toMatchObject({ message: expect.stringContaining('raise maximumSocketsPerOrigin') });
    expect(server.requests).toHaveLength(1);
  });

  test('by fetch, the deadline ends it too, and nothing was sent', async () => {
    const { client, clock, server } = await setUp(1, 'fetch');
    void client.request(getContact, { deadline: 9_000, attemptTimeoutMs: 9_000 }).catch(() => undefined);
    await server.request(1);
    const waiting = failureOf(client.request(getContact, { deadline: 3_000 }));

    await clock.advance(3_000);

    expect(await waiting).toMatchObject({ code: 'max_retries_exceeded', attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  test.each(kinds)('a caller who hangs up leaves the line: %s', async (kind) => {
    const { client, server, answerAll } = await setUp(1, kind);
    const first = client.request(getContact);
    await server.request(1);
    const hangUp = new AbortController();
    const waiting = failureOf(client.request(createContact, { signal: hangUp.signal }));

    hangUp.abort();
    expect(await waiting).toMatchObject({ code: 'aborted' });
    answerAll();
    await first;

    const next = client.request(getContact);
    await server.request(2);
    answerAll();
    expect(await next).toEqual({ id: '1' });
    expect(server.requests).toHaveLength(2);
  });

  test('a server that takes connections and says nothing is no line of ours: the attempt ends in its time', async () => {
    const { client, clock, server } = await setUp(5, 'fetch');
    const calls = Array.from({ length: 5 }, () => failureOf(client.request(unrepeatable)));
    await server.request(5);

    await clock.advance(800);

    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(calls.map(() => 'max_retries_exceeded'));
  });
});
