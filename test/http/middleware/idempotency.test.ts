import { describe, expect, test } from 'vitest';
import { AttemptFailedError } from '../../../src/core/errors.ts';
import { sendOncePerKey } from '../../../src/http/middleware/idempotency.ts';
import { callLog, type AttemptLog } from '../../../src/http/call-log.ts';
import type { HttpRequest, HttpResponse } from '../../../src/http/request.ts';
import { answer } from '../../support/answer.ts';
import { liveHeapBytes } from '../../support/live-heap-bytes.ts';
import { aRequest, attempted } from '../../support/request.ts';

const payment = (overrides: Parameters<typeof aRequest>[0] = {}) =>
  aRequest({
    operation: 'billing.payments.create',
    effect: 'keyed-write',
    method: 'POST',
    body: '{"amount":10}',
    idempotencyKey: 'key-1',
    ...overrides,
  });

/** The layer over calls that end when the test says so. */
const setUp = () => {
  const flights: { request: HttpRequest; log: AttemptLog; end: PromiseWithResolvers<HttpResponse> }[] = [];
  const layer = sendOncePerKey();
  return {
    flights,
    run: (request: HttpRequest) =>
      layer(request, (inner) => {
        const end = Promise.withResolvers<HttpResponse>();
        flights.push({ request: inner, log: attempted(inner), end });
        return end.promise;
      }),
  };
};

test('every attempt carries the key that the call was given', async () => {
  const { flights, run } = setUp();
  const end = run(payment());
  flights[0]?.end.resolve(answer());
  await end;
  expect(flights[0]?.request.headers['idempotency-key']).toBe('key-1');
});

test('a read carries none', async () => {
  const { flights, run } = setUp();
  const end = run(aRequest());
  flights[0]?.end.resolve(answer());
  await end;
  expect(flights[0]?.request.headers).toEqual({});
});

describe('two calls in flight with one key', () => {
  test('are one request, and both get its answer', async () => {
    const { flights, run } = setUp();
    const first = run(payment());
    const second = run(payment());
    expect(flights).toHaveLength(1);
    const response = answer(200, { status: 'completed' });
    flights[0]?.end.resolve(response);
    expect(await Promise.all([first, second])).toEqual([response, response]);
  });

  test('share a failure too, and both know what is known of it', async () => {
    const { flights, run } = setUp();
    const second = payment();
    const ends = [run(payment()), run(second)].map((end) => end.catch((error: unknown) => error));
    const failure = new AttemptFailedError('dropped', { reason: 'network', outcome: 'unknown' });
    flights[0]?.log.failed(failure);
    flights[0]?.end.reject(failure);
    expect(await Promise.all(ends)).toEqual([failure, failure]);
    expect(callLog(second).attempts).toEqual(['unknown']);
  });

  test('with other parameters: the second is refused and not sent', async () => {
    const { flights, run } = setUp();
    void run(payment());
    await expect(run(payment({ body: '{"amount":11}' }))).rejects.toMatchObject({
      code: 'invalid_argument',
      field: 'idempotencyKey',
    });
    expect(flights).toHaveLength(1);
  });

  test('when the first caller gives up, the second goes on with the same key', async () => {
    const { flights, run } = setUp();
    const gaveUp = new AbortController();
    const first = run(payment({ signal: gaveUp.signal })).catch((error: unknown) => error);
    const second = run(payment());
    gaveUp.abort();
    flights[0]?.end.reject(gaveUp.signal.reason);
    await first;
    await expect.poll(() => flights.length).toBe(2);
    expect(flights[1]?.request.headers['idempotency-key']).toBe('key-1');
    const response = answer(200, { status: 'completed' });
    flights[1]?.end.resolve(response);
    expect(await second).toBe(response);
  });
});

describe('a key that was used before', () => {
  const finish = async (overrides: Parameters<typeof aRequest>[0] = {}) => {
    const setup = setUp();
    const end = setup.run(payment(overrides));
    setup.flights[0]?.end.resolve(answer());
    await end;
    return setup;
  };

  test('may be used again for the same work', async () => {
    const { flights, run } = await finish();
    const again = run(payment());
    flights[1]?.end.resolve(answer());
    expect(await again).toEqual(answer());
  });

  test('is refused for other work', async () => {
    const { flights, run } = await finish();
    await expect(run(payment({ body: '{"amount":11}' }))).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(run(payment({ operation: 'messaging.contacts.create' }))).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(flights).toHaveLength(1);
  });

  test('is free again for other work when nothing came of it', async () => {
    const { flights, run } = setUp();
    const end = run(payment()).catch(() => 'refused');
    const refusal = new AttemptFailedError('refused', { reason: 'rate_limited', outcome: 'rejected' });
    flights[0]?.log.failed(refusal);
    flights[0]?.end.reject(refusal);
    await end;
    const other = run(payment({ body: '{"amount":11}' }));
    flights[1]?.end.resolve(answer());
    expect(await other).toEqual(answer());
  });

  test('is remembered without what was written, be it a whole transcript', async () => {
    const { flights, run } = setUp();
    const before = liveHeapBytes();
    for (let index = 0; index < 9; index++) {
      const end = run(
        payment({ idempotencyKey: `call-${index}`, body: Buffer.alloc(5_000_000, 97 + index).toString() }),
      );
      flights.splice(0).at(-1)?.end.resolve(answer());
      await end;
    }
    // Kept, they would be 45 MB.
    expect(liveHeapBytes() - before).toBeLessThan(10_000_000);
    await expect(run(payment({ idempotencyKey: 'call-0' }))).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('is forgotten after ten thousand later ones, so that memory stays bounded', async () => {
    const { flights, run } = await finish();
    for (let index = 0; index < 10_000; index++) {
      const end = run(payment({ idempotencyKey: `later-${index}` }));
      flights.at(-1)?.end.resolve(answer());
      await end;
    }
    const other = run(payment({ body: '{"amount":11}' }));
    flights.at(-1)?.end.resolve(answer());
    expect(await other).toEqual(answer());
  });
});

describe('a key whose write may be done already', () => {
  const inDoubt = async (overrides: Parameters<typeof aRequest>[0]) => {
    const { flights, run } = setUp();
    const first = run(payment(overrides));
    const failure = new AttemptFailedError('dropped', { reason: 'network', outcome: 'unknown' });
    flights[0]?.log.failed(failure);
    flights[0]?.end.reject(failure);
    await expect(first).rejects.toThrow('dropped');
    return { flights, run };
  };

  test('is not sent again to an API that knows no keys', async () => {
    const { flights, run } = await inDoubt({ effect: 'unsafe-write' });
    const again = payment({ effect: 'unsafe-write' });
    await expect(run(again)).rejects.toMatchObject({
      code: 'max_retries_exceeded',
      reason: 'may_be_done',
      outcome: 'unknown',
      message:
        'billing.payments.create was not sent again: an earlier call with the same key may have done it, and this API would do it twice',
    });
    expect(callLog(again).outcome()).toBe('unknown');
    expect(flights).toHaveLength(1);
  });

  test.each([
    ['the API knows keys', { effect: 'keyed-write' }],
    ['it can be looked up', { effect: 'unsafe-write', plan: { lookUp: async () => undefined } }],
  ] as const)('is sent again where %s', async (_why, overrides) => {
    const { flights, run } = await inDoubt(overrides);
    const again = run(payment(overrides));
    flights[1]?.end.resolve(answer());
    await again;
    expect(flights).toHaveLength(2);
  });
});
