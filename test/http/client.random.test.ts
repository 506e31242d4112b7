import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { isIntegrationError } from '../../src/errors.ts';
import type { Operation, Settled } from '../../src/http/operation.ts';
import { connect, createContact } from '../support/connect.ts';
import { answer, type Reply, resetBeforeAnswer, silence, startFaultServer } from '../support/fault-server.ts';

/** A reply of the server, and whether it has done the work. */
interface Behaviour {
  readonly does: boolean;
  readonly reply: Reply;
}

const behaviours: Readonly<Record<string, Behaviour>> = {
  done: { does: true, reply: answer({ body: '{"id":"1"}' }) },
  'done, then dropped': { does: true, reply: resetBeforeAnswer },
  'done, then failed': { does: true, reply: answer({ status: 500 }) },
  'done, then silent': { does: true, reply: silence },
  'done, then elsewhere': { does: true, reply: answer({ status: 302 }) },
  'done, then unreadable': { does: true, reply: answer({ body: '{"id"' }) },
  dropped: { does: false, reply: resetBeforeAnswer },
  silent: { does: false, reply: silence },
  failed: { does: false, reply: answer({ status: 503 }) },
  limited: { does: false, reply: answer({ status: 429 }) },
  refused: { does: false, reply: answer({ status: 422 }) },
  'asked for another credential': { does: false, reply: answer({ status: 401 }) },
};

/** https://en.wikipedia.org/wiki/Linear_congruential_generator, with the numbers of Numerical Recipes. */
const createRandom = (seed: number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** Three of them and a payment's `minimumBudgetMs` fit into a deadline. */
const attemptTimeoutMs = 1_000;

const operations: readonly Operation<unknown>[] = [
  createContact,
  { ...createContact, repeat: 'never' },
  { ...createContact, effect: 'payment', wholeDeadline: true, minimumBudgetMs: 3_000 },
];

/** One call to a server that behaves at random and whose caller may hang up at random. */
const callAtRandom = async (seed: number) => {
  const random = createRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const happened: string[] = [];
  let timesDone = 0;
  const caller = new AbortController();
  const operation = pick(operations);

  const behave: Reply = (socket, request) => {
    const name = pick(Object.keys(behaviours));
    const { does, reply } = behaviours[name] as Behaviour;
    happened.push(name);
    if (does) timesDone += 1;
    if (random() < 0.15) {
      happened.push('the caller hangs up');
      caller.abort();
    }
    void reply(socket, request);
    if (reply === silence) void clock.advance(attemptTimeoutMs);
  };
  await using server = await startFaultServer(behave);
  const settled = Promise.withResolvers<Settled>();
  const { client, clock } = connect(server, {
    attemptTimeoutMs,
    authenticate: {
      read: async () => ({ headers: { 'x-api-key': 'k' }, secrets: [] }),
      renew: async () => (random() < 0.5 ? undefined : { headers: { 'x-api-key': 'other' }, secrets: [] }),
    },
  });
  const call = { signal: caller.signal, onSettled: settled.resolve };
  let end = await client.request(operation, call).then(
    () => 'done' as const,
    (error: unknown) => error,
  );
  const goesOn = isIntegrationError(end) && end.code === 'aborted' && operation.effect === 'payment';
  if (goesOn && isIntegrationError(end) && end.outcome === 'unknown') {
    const late = await settled.promise;
    end = late.ok ? 'done' : late.error;
  }
  return { end, server, happened, timesDone, operation, clock, caller };
};

test.each(Array.from({ length: 300 }, (_, seed) => seed))(
  'whatever happens, what an error says of the call is true: course %i',
  async (seed) => {
    const { end, server, happened, timesDone, operation, clock, caller } = await callAtRandom(seed);
    const story = happened.join(', ');
    if (end !== 'done') {
      if (!isIntegrationError(end)) return expect.unreachable(story);
      expect(end.attempts, story).toBe(server.requests.length);
      if (end.outcome === 'rejected') expect(timesDone, story).toBe(0);
      if (end.outcome === 'not_sent') expect(server.requests, story).toEqual([]);
    }
    expect(server.requests.length, story).toBeLessThanOrEqual(3);
    expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size, story).toBe(1);
    if (operation.repeat === 'never') expect(timesDone, story).toBeLessThanOrEqual(1);
    expect(clock.pendingTimers(), story).toBe(0);
    expect(getEventListeners(caller.signal, 'abort'), story).toEqual([]);
  },
);
