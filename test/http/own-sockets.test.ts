import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { undiciTransport } from '../../src/transport/undici.ts';
import { connect, createContact, failureOf, getContact } from '../support/connect.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';

const attemptTimeoutMs = 800;

/** A client with five sockets of its own, and a server that answers when it's told to. */
const setUp = async (sockets = 5) => {
  const waiting: (() => void)[] = [];
  const server = await startFaultServer((socket: Socket, request) => {
    waiting.push(() => void answer({ body: '{"id":"1"}' })(socket, request));
  });
  const transport = undiciTransport({ maximumSocketsPerOrigin: sockets });
  onTestFinished(() => server.close());
  const connected = connect(server, { transport, attemptTimeoutMs, circuit: {} });
  const answerAll = () => waiting.splice(0).forEach((one) => one());
  return { ...connected, server, answerAll };
};

describe('more calls than sockets of our own', () => {
  test.each([
    ['reads', getContact],
    ['writes that must not be sent again', { ...createContact, repeat: 'never' as const }],
  ])('150 %s over five sockets all succeed, each with one attempt', async (_what, operation) => {
    const { client, clock, server, answerAll, events } = await setUp();
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

  test('an attempt has all of its time once it has a socket, and no more', async () => {
    const { client, clock, server, answerAll } = await setUp(1);
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

  test('what never gets an answer on its socket ends after its own time, not after that of the line', async () => {
    const { client, clock, server, answerAll } = await setUp(1);
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

  test('a caller who hangs up leaves the line', async () => {
    const { client, server } = await setUp(1);
    void client.request(getContact).catch(() => undefined);
    await server.request(1);
    const hangUp = new AbortController();
    const waiting = failureOf(client.request(createContact, { signal: hangUp.signal }));

    hangUp.abort();

    expect(await waiting).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
  });
});
