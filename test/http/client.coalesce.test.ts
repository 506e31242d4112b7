import { describe, expect, test } from 'vitest';
import { deadlineIn } from '../../src/http/deadline.ts';
import { connect, createContact, failureOf, getContact } from '../support/connect.ts';
import { answer, type Reply, startFaultServer } from '../support/fault-server.ts';
import { until } from '../support/until.ts';

/** Answers each request, numbered, when the test says so. */
const heldAnswers = () => {
  const held: (() => void)[] = [];
  const reply: Reply = (socket, request) => {
    const body = JSON.stringify({ answer: held.length + 1 });
    held.push(() => void answer({ body })(socket, request));
  };
  return { reply, release: async (n: number) => (await until(() => held[n - 1]))() };
};

describe('with coalesce, identical reads in flight', () => {
  test('share one request, and each gets a record of its own', async () => {
    const { reply, release } = heldAnswers();
    await using server = await startFaultServer(reply);
    const { client, events } = connect(server, { coalesce: true });
    const reads = Array.from({ length: 5 }, () => client.request(getContact));
    await release(1);
    const records = await Promise.all(reads);

    expect(records).toEqual(Array.from({ length: 5 }, () => ({ answer: 1 })));
    expect(new Set(records).size).toBe(5);
    expect(server.requests).toHaveLength(1);
    const calls = events.flatMap((event) => (event.type === 'call' ? [event] : []));
    expect(calls.map(({ attempts, outcome, shared }) => ({ attempts, outcome, shared }))).toEqual([
      { attempts: 1, outcome: 'ok', shared: undefined },
      ...Array.from({ length: 4 }, () => ({ attempts: 1, outcome: 'ok', shared: true })),
    ]);
  });

  test('share its failure too', async () => {
    await using server = await startFaultServer(answer({ status: 404 }));
    const { client } = connect(server, { coalesce: true });
    const ends = await Promise.all([failureOf(client.request(getContact)), failureOf(client.request(getContact))]);
    expect(ends).toMatchObject([{ status: 404 }, { status: 404 }]);
    expect(server.requests).toHaveLength(1);
  });

  test('are none once the answer is there: nothing is given twice', async () => {
    const { reply, release } = heldAnswers();
    await using server = await startFaultServer(reply);
    const { client } = connect(server, { coalesce: true });
    const first = client.request(getContact);
    await release(1);
    expect(await first).toEqual({ answer: 1 });
    const second = client.request(getContact);
    await release(2);
    expect(await second).toEqual({ answer: 2 });
  });

  test('go on when the one that was first is cancelled', async () => {
    const { reply, release } = heldAnswers();
    await using server = await startFaultServer(reply);
    const { client } = connect(server, { coalesce: true });
    const hangsUp = new AbortController();
    const first = failureOf(client.request(getContact, { signal: hangsUp.signal }));
    const second = client.request(getContact);
    await server.request(1);
    hangsUp.abort();
    expect(await first).toMatchObject({ code: 'aborted' });
    await release(1);
    expect(await second).toEqual({ answer: 1 });
    expect(server.requests).toHaveLength(1);
  });

  test('end when no call waits any more, and the next one sends its own request', async () => {
    const { reply, release } = heldAnswers();
    await using server = await startFaultServer(reply);
    const { client } = connect(server, { coalesce: true });
    const hangsUp = new AbortController();
    const both = [1, 2].map(() => failureOf(client.request(getContact, { signal: hangsUp.signal })));
    await server.request(1);
    hangsUp.abort();
    expect(await Promise.all(both)).toMatchObject([{ code: 'aborted' }, { code: 'aborted' }]);
    const third = client.request(getContact);
    await server.closed(1);
    await release(2);
    expect(await third).toEqual({ answer: 2 });
  });

  test('each wait no longer than their own deadline; the request has the longest of them', async () => {
    const { reply, release } = heldAnswers();
    await using server = await startFaultServer(reply);
    const { client, clock } = connect(server, { coalesce: true, attempts: 1 });
    const long = client.request(getContact, { deadline: deadlineIn(5_000) });
    const short = failureOf(client.request(getContact, { deadline: deadlineIn(100) }));
    await server.request(1);
    await clock.advance(79);
    const late = failureOf(client.request(getContact, { deadline: deadlineIn(500) }));
    await clock.advance(600);
    expect(await short).toMatchObject({ code: 'max_retries_exceeded', reason: 'deadline', attempts: 1 });
    expect(await late).toMatchObject({ code: 'max_retries_exceeded', reason: 'deadline', attempts: 1 });
    await release(1);
    expect(await long).toEqual({ answer: 1 });
    expect(server.requests).toHaveLength(1);
  });

  test('are not joined by a read that comes after a write: it would miss what was written', async () => {
    const { reply, release } = heldAnswers();
    await using server = await startFaultServer(reply);
    const { client } = connect(server, { coalesce: true });
    const before = client.request(getContact);
    await server.request(1);
    const write = client.request(createContact);
    await server.request(2);
    const during = client.request(getContact);
    await server.request(3);
    await release(2);
    await write;
    const after = client.request(getContact);
    for (const n of [1, 3, 4]) await release(n);
    expect((await Promise.all([before, during, after])).map((record) => (record as { answer: number }).answer)).toEqual(
      [1, 3, 4],
    );
  });
});

test.each([
  ['another path', { ...getContact, path: 'contacts/2' }],
  ['another query', { ...getContact, query: { expand: 'all' } }],
  ['another operation', { ...getContact, operation: 'messaging.contacts.peek' }],
])('reads of %s are not shared', async (_what, other) => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const { client } = connect(server, { coalesce: true });
  await Promise.all([client.request(getContact), client.request(other)]);
  expect(server.requests).toHaveLength(2);
});

test('a live read does not wait for one in the lane of the background', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const { client } = connect(server, { coalesce: true });
  await Promise.all([client.request(getContact, { lane: 'background' }), client.request(getContact)]);
  expect(server.requests).toHaveLength(2);
});

test('without it every read is sent', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const { client } = connect(server);
  await Promise.all([client.request(getContact), client.request(getContact)]);
  expect(server.requests).toHaveLength(2);
});
