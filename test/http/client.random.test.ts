import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { sleepOn } from '../../src/clock.ts';
import { isIntegrationError } from '../../src/errors.ts';
import type { Operation, Settled } from '../../src/http/operation.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { createContact } from '../support/connect.ts';
import { answer, type Reply, resetBeforeAnswer, silence } from '../support/fault-server.ts';
import { transports } from '../support/transports.ts';

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

/** Other seeds for each: what is decided is decided above the transport. */
const withSeeds = transports.map((transport, index) => ({
  ...transport,
  seeds: (count: number) => Array.from({ length: count }, (_, seed) => index * count + seed),
}));

describe.each(withSeeds)('on $name', ({ connect, startFaultServer, seeds }) => {
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

  test.each(seeds(100))('whatever happens, what an error says of the call is true: course %i', async (seed) => {
    const { end, server, happened, timesDone, operation, clock, caller } = await callAtRandom(seed);
    const story = happened.join(', ');
    expect(end === 'done' || isIntegrationError(end), story).toBe(true);
    const sent = server.requests.length;
    const { attempts, outcome } = isIntegrationError(end) ? end : { attempts: sent, outcome: 'done' };
    expect(attempts, story).toBe(sent);
    expect(timesDone, story).toBeLessThanOrEqual(outcome === 'rejected' ? 0 : 3);
    expect(sent, story).toBeLessThanOrEqual(outcome === 'not_sent' ? 0 : 3);
    expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size, story).toBe(1);
    expect(timesDone, story).toBeLessThanOrEqual(operation.repeat === 'never' ? 1 : 3);
    expect(clock.pendingTimers(), story).toBe(0);
    expect(getEventListeners(caller.signal, 'abort'), story).toEqual([]);
  });

  /** Eight payments under three keys, of which any caller may hang up whenever a request comes in. */
  const manyAtRandom = async (seed: number) => {
    const random = createRandom(seed);
    const callers = Array.from({ length: 8 }, () => new AbortController());
    await using server = await startFaultServer((socket, request) => {
      if (random() < 0.2) callers[Math.floor(random() * callers.length)]?.abort();
      const replies = Object.values(behaviours);
      void replies[Math.floor(random() * replies.length)]?.reply(socket, request);
    });
    const clock = createVirtualClock();
    const { client, events } = connect(server, {
      clock,
      sleep: sleepOn(clock),
      attemptTimeoutMs,
      rateLimit: { limit: 3, perMs: 500 },
      circuit: { minimumVolume: 4, openMs: 700 },
      idempotency: random() < 0.5 ? 'key' : 'none',
    });
    const operation: Operation<unknown> = { ...createContact, effect: 'payment', minimumBudgetMs: 2_000 };
    const settled: Settled[] = [];
    let running = callers.length;
    const ends = callers.map(({ signal }, index) =>
      client
        .request(operation, { signal, idempotencyKey: `key ${index % 3}`, onSettled: (late) => settled.push(late) })
        .then(
          () => undefined,
          (error: unknown) => error,
        )
        .finally(() => {
          running -= 1;
        }),
    );
    while (running > 0) await clock.advance(20);
    // Those that were released come to their end too.
    await clock.advance(10_000);
    return { errors: (await Promise.all(ends)).filter(isIntegrationError), settled, events, client, clock, callers };
  };

  test.each(seeds(40))(
    'whatever many callers do, each of them is answered once and nothing is left behind: course %i',
    async (seed) => {
      const { errors, settled, events, client, clock, callers } = await manyAtRandom(seed);
      const released = errors.filter(({ code, outcome }) => code === 'aborted' && outcome === 'unknown').length;
      expect(settled).toHaveLength(released);
      expect(events.filter(({ type }) => type === 'settled-late')).toHaveLength(released);
      expect(events.filter(({ type }) => type === 'call')).toHaveLength(callers.length);
      expect(client.status().rateLimit.waiting).toBe(0);
      expect(clock.pendingTimers()).toBe(0);
      for (const { signal } of callers) expect(getEventListeners(signal, 'abort')).toEqual([]);
    },
  );
});
