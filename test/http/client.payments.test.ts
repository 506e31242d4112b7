import { describe, expect, test, vi } from 'vitest';
import type { Operation, Settled } from '../../src/http/operation.ts';
import * as timers from '../../src/core/timers.ts';
import { failureOf } from '../support/connect.ts';
import { answer, held, resetBeforeAnswer, silence } from '../support/fault-server.ts';
import { onFetch, unlikeTransports } from '../support/transports.ts';

const pay: Operation<unknown> = {
  operation: 'billing.payments.create',
  method: 'POST',
  path: 'payments',
  body: (key) => ({ amount: 10, idempotency_key: key }),
  effect: 'payment',
  wholeDeadline: true,
  minimumBudgetMs: 3_000,
  returns: (json) => json,
};

const hearSettled = () => {
  const settled = Promise.withResolvers<Settled>();
  return { settled: settled.promise, onSettled: settled.resolve };
};

describe.each(unlikeTransports)('on $name', ({ connect, startFaultServer }) => {
  describe('a caller who hangs up after the payment was sent', () => {
    test('is released at once; the payment goes on, and its end is reported', async () => {
      const { reply, release } = held({ body: '{"status":"completed"}' });
      await using server = await startFaultServer(reply);
      const { client, clock, events } = connect(server);
      const caller = new AbortController();
      const { settled, onSettled } = hearSettled();
      const end = failureOf(client.request(pay, { signal: caller.signal, idempotencyKey: 'k', onSettled }));
      await server.request(1);
      caller.abort();
      expect(await end).toMatchObject({ code: 'aborted', outcome: 'unknown', attempts: 1, idempotencyKey: 'k' });
      release();
      expect(await settled).toEqual({
        operation: 'billing.payments.create',
        idempotencyKey: 'k',
        ok: true,
        result: { status: 'completed' },
      });
      expect(events.map(({ type }) => type)).toEqual(['call', 'attempt', 'settled-late']);
      expect(events.at(-1)).toMatchObject({ outcome: 'ok', idempotencyKey: 'k' });
      expect(server.requests).toHaveLength(1);
      expect(clock.pendingTimers()).toBe(0);
    });

    test('gets an unknown outcome when the deadline ends it', async () => {
      await using server = await startFaultServer(silence);
      const { client, clock, events } = connect(server);
      const caller = new AbortController();
      const { settled, onSettled } = hearSettled();
      const end = failureOf(client.request(pay, { signal: caller.signal, onSettled, deadline: 4_000 }));
      await server.request(1);
      caller.abort();
      await end;
      await clock.advance(4_000);
      expect(await settled).toMatchObject({
        ok: false,
        error: { code: 'max_retries_exceeded', reason: 'timeout', outcome: 'unknown', attempts: 1, elapsedMs: 3_980 },
      });
      await server.closed(1);
      expect(events.at(-1)).toMatchObject({ type: 'settled-late', outcome: 'unknown' });
      expect(clock.pendingTimers()).toBe(0);
      expect(server.requests).toHaveLength(1);
    });
  });

  test('a caller who hangs up before the payment was sent sends none', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const credential = Promise.withResolvers<void>();
    const caller = new AbortController();
    const { client, clock } = connect(server, {
      authenticate: {
        read: async () => {
          caller.abort();
          await credential.promise;
          return { headers: {}, secrets: [] };
        },
        renew: async () => undefined,
      },
    });
    const error = await failureOf(client.request(pay, { signal: caller.signal }));
    credential.resolve();
    await clock.advance(60_000);
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent', attempts: 0 });
    expect(server.connections()).toBe(0);
  });

  describe('the time that a payment needs', () => {
    test('is not left for another attempt: it is not sent again and may have happened', async () => {
      await using server = await startFaultServer(resetBeforeAnswer);
      const { client } = connect(server, { backoff: { minimumMs: 100, maximumMs: 1_000 } });
      expect(await failureOf(client.request(pay, { deadline: 3_040 }))).toMatchObject({
        code: 'max_retries_exceeded',
        reason: 'network',
        outcome: 'unknown',
        attempts: 1,
      });
      expect(server.requests).toHaveLength(1);
    });
  });
});

describe('above every transport', () => {
  const { connect, startFaultServer } = onFetch;

  describe('a caller who hangs up after the payment was sent', () => {
    test('leaves it to be repeated with its key until it is done', async () => {
      let drop = () => {};
      await using server = await startFaultServer(
        (socket) => {
          drop = () => void socket.resetAndDestroy();
        },
        answer({ body: '{"status":"completed"}' }),
      );
      const { client } = connect(server);
      const caller = new AbortController();
      const { settled, onSettled } = hearSettled();
      const end = failureOf(client.request(pay, { signal: caller.signal, idempotencyKey: 'k', onSettled }));
      await server.request(1);
      caller.abort();
      await end;
      drop();
      expect(await settled).toMatchObject({ ok: true, result: { status: 'completed' } });
      expect(server.requests.map(({ body }) => body)).toEqual(Array(2).fill('{"amount":10,"idempotency_key":"k"}'));
    });

    test.each<[string, (settled: Settled) => void]>([
      [
        'throws',
        () => {
          throw new Error('no');
        },
      ],
      ['rejects', (() => Promise.reject(new Error('no'))) as () => void],
    ])('and whose onSettled %s changes nothing', async (_how, onSettled) => {
      const { reply, release } = held({ body: '{"status":"completed"}' });
      await using server = await startFaultServer(reply);
      const told = Promise.withResolvers<void>();
      const { client } = connect(server, {
        onEvent: ({ type }) => {
          if (type === 'settled-late') told.resolve();
        },
      });
      const caller = new AbortController();
      const end = failureOf(client.request(pay, { signal: caller.signal, onSettled }));
      await server.request(1);
      caller.abort();
      release();
      await told.promise;
      expect(await end).toMatchObject({ code: 'aborted', outcome: 'unknown' });
    });
  });

  test('a caller who hangs up while a payment that was not done waits to be sent again ends it', async () => {
    await using server = await startFaultServer(answer({ status: 429 }), answer({ body: '{}' }));
    const caller = new AbortController();
    const { client, clock } = connect(server);
    vi.mocked(timers.sleep).mockImplementation(
      (_ms, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          caller.abort();
        }),
    );
    const error = await failureOf(client.request(pay, { signal: caller.signal }));
    expect(error).toMatchObject({ code: 'aborted', outcome: 'rejected', attempts: 1 });
    await clock.advance(60_000);
    expect(server.requests).toHaveLength(1);
  });

  describe('the time that a payment needs', () => {
    test('is not there: nothing is sent', async () => {
      await using server = await startFaultServer(answer({ body: '{}' }));
      const { client } = connect(server);
      expect(await failureOf(client.request(pay, { deadline: 2_999 }))).toMatchObject({
        code: 'deadline_exceeded',
        outcome: 'not_sent',
        attempts: 0,
      });
      expect(server.connections()).toBe(0);
    });

    test('is exactly there: it is sent', async () => {
      await using server = await startFaultServer(answer({ body: '{"status":"completed"}' }));
      const { client } = connect(server);
      expect(await client.request(pay, { deadline: 3_000 })).toEqual({ status: 'completed' });
    });

    test('was used up by the credential: nothing is sent', async () => {
      await using server = await startFaultServer(answer({ body: '{}' }));
      const { client, clock } = connect(server, {
        authenticate: {
          read: async () => {
            await clock.advance(1_500);
            return { headers: {}, secrets: [] };
          },
          renew: async () => undefined,
        },
      });
      expect(await failureOf(client.request(pay, { deadline: 4_000 }))).toMatchObject({
        code: 'deadline_exceeded',
        outcome: 'not_sent',
        attempts: 0,
      });
      expect(server.connections()).toBe(0);
    });
  });

  test('one attempt and no more, when the client says so', async () => {
    await using server = await startFaultServer(resetBeforeAnswer);
    const { client } = connect(server, { attempts: 1 });
    expect(await failureOf(client.request(pay))).toMatchObject({
      code: 'max_retries_exceeded',
      outcome: 'unknown',
      attempts: 1,
    });
    expect(server.requests).toHaveLength(1);
  });
});
