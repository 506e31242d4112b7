import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { IntegrationError } from '../../src/core/errors.ts';
import type { Operation, Settled } from '../../src/http/operation.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { createContact } from '../support/connect.ts';
import { answer, type Reply, resetBeforeAnswer, silence } from '../support/fault-server.ts';
import { unlikeTransports } from '../support/transports.ts';
import fc from '../support/fast-check.ts';

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

/** Three of them and a payment's `minimumBudgetMs` fit into a deadline. */
const attemptTimeoutMs = 1_000;

const operations: readonly Operation<unknown>[] = [
  createContact,
  { ...createContact, repeat: 'never' },
  { ...createContact, effect: 'payment', wholeDeadline: true, minimumBudgetMs: 3_000 },
];

/** True once in so many times. */
const oneIn = (times: number) => fc.nat(times - 1).map((number) => number === 0);

const behaviour = fc.constantFrom(...Object.keys(behaviours));

/** What the server does with one request after the other, and whether the caller hangs up meanwhile. */
const course = fc.record({
  operation: fc.constantFrom(...operations),
  steps: fc.array(fc.record({ behaviour, hangsUp: oneIn(7) }), { minLength: 6, maxLength: 6 }),
  renews: fc.boolean(),
});

/** What the server does with the requests of eight callers, and which of them hangs up meanwhile. */
const crowd = fc.record({
  steps: fc.array(fc.record({ behaviour, hangsUp: fc.option(fc.nat(7), { freq: 4 }) }), {
    minLength: 40,
    maxLength: 40,
  }),
  idempotency: fc.constantFrom('key' as const, 'none' as const),
});

// What is decided is decided above the transport: each has seeds of its own, the same in each run.
const withSeeds = unlikeTransports.map((transport, index) => ({ ...transport, seed: 2_026 + index }));

describe.each(withSeeds)('on $name', ({ isDefault, connect, startFaultServer, seed }) => {
  /** One call to a server that behaves at random and whose caller may hang up at random. */
  const callAtRandom = async ({ operation, steps, renews }: Course) => {
    const next = steps.values();
    let timesDone = 0;
    const caller = new AbortController();

    const behave: Reply = (socket, request) => {
      const { behaviour, hangsUp } = next.next().value ?? { behaviour: 'failed', hangsUp: false };
      const { does, reply } = behaviours[behaviour] as Behaviour;
      if (does) timesDone += 1;
      if (hangsUp) caller.abort();
      void reply(socket, request);
      if (reply === silence) void clock.advance(attemptTimeoutMs);
    };
    await using server = await startFaultServer(behave);
    const settled = Promise.withResolvers<Settled>();
    const { client, clock } = connect(server, {
      attemptTimeoutMs,
      authenticate: {
        read: async () => ({ headers: { 'x-api-key': 'k' }, secrets: [] }),
        renew: async () => (renews ? { headers: { 'x-api-key': 'other' }, secrets: [] } : undefined),
      },
    });
    const call = { signal: caller.signal, onSettled: settled.resolve };
    let end = await client.request(operation, call).then(
      () => 'done' as const,
      (error: unknown) => error,
    );
    const goesOn = end instanceof IntegrationError && end.code === 'aborted' && operation.effect === 'payment';
    if (goesOn && end instanceof IntegrationError && end.outcome === 'unknown') {
      const late = await settled.promise;
      end = late.ok ? 'done' : late.error;
    }
    return { end, server, timesDone, operation, clock, caller };
  };

  test('whatever happens, what an error says about the call is true', () =>
    fc.assert(
      fc.asyncProperty(course, async (given) => {
        const { end, server, timesDone, operation, clock, caller } = await callAtRandom(given);
        expect(end === 'done' || end instanceof IntegrationError).toBe(true);
        const sent = server.requests.length;
        const { attempts, outcome } = end instanceof IntegrationError ? end : { attempts: sent, outcome: 'done' };
        expect(attempts).toBe(sent);
        expect(timesDone).toBeLessThanOrEqual(outcome === 'rejected' ? 0 : 3);
        expect(sent).toBeLessThanOrEqual(outcome === 'not_sent' ? 0 : 3);
        expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
        expect(timesDone).toBeLessThanOrEqual(operation.repeat === 'never' ? 1 : 3);
        expect(clock.pendingTimers()).toBe(0);
        expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
        // Time that a silent server still lets pass must not be the next run's.
        await clock.advance(0);
      }),
      { seed, numRuns: isDefault ? 120 : 60 },
    ));

  /** Eight payments under three keys, of which any caller may hang up whenever a request comes in. */
  const manyAtRandom = async ({ steps, idempotency }: Crowd) => {
    const next = steps.values();
    const callers = Array.from({ length: 8 }, () => new AbortController());
    await using server = await startFaultServer((socket, request) => {
      const { behaviour, hangsUp } = next.next().value ?? { behaviour: 'failed', hangsUp: null };
      if (hangsUp !== null) callers[hangsUp]?.abort();
      void behaviours[behaviour]?.reply(socket, request);
    });
    const clock = createVirtualClock();
    const { client, events } = connect(server, {
      attemptTimeoutMs,
      rateLimit: { limit: 3, perMs: 500 },
      circuit: { minimumVolume: 4, openMs: 700 },
      idempotency,
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
    return {
      errors: (await Promise.all(ends)).filter((end) => end instanceof IntegrationError),
      settled,
      events,
      client,
      clock,
      callers,
    };
  };

  test('whatever many callers do, each gets one answer and nothing is left behind', () =>
    fc.assert(
      fc.asyncProperty(crowd, async (given) => {
        const { errors, settled, events, client, clock, callers } = await manyAtRandom(given);
        const released = errors.filter(({ code, outcome }) => code === 'aborted' && outcome === 'unknown').length;
        expect(settled).toHaveLength(released);
        expect(events.filter(({ type }) => type === 'settled-late')).toHaveLength(released);
        expect(events.filter(({ type }) => type === 'call')).toHaveLength(callers.length);
        expect(client.status().rateLimit.waiting).toBe(0);
        expect(clock.pendingTimers()).toBe(0);
        for (const { signal } of callers) expect(getEventListeners(signal, 'abort')).toEqual([]);
      }),
      { seed, numRuns: isDefault ? 70 : 30 },
    ));
});

type Course = typeof course extends fc.Arbitrary<infer Value> ? Value : never;
type Crowd = typeof crowd extends fc.Arbitrary<infer Value> ? Value : never;
