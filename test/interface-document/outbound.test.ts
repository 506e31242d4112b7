import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createOutbox, defineEvent, type Destination } from '../../src/outbox/index.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { inFakeTime, useFakeTime } from '../support/fake-time.ts';
import { serve } from '../support/serve.ts';

beforeEach(useFakeTime);
afterEach(() => void vi.useRealTimers());

const completed = defineEvent('call.completed', {
  1: { schema: z.object({ callId: z.string() }), down: ({ callId }: { readonly callId: string }) => ({ callId }) },
  2: z.object({ callId: z.string(), durationSeconds: z.number() }),
});
const payload = { callId: 'CA1', durationSeconds: 312 };

/** A receiver on loopback that answers these statuses in turn, the last one from then on; and an outbox to it. */
const start = async (statuses: readonly number[], destination: Partial<Destination> = {}) => {
  const requests: { line: string; headers: Headers; body: string; at: number }[] = [];
  const server = await serve(async (request) => {
    const line = `${request.method} ${new URL(request.url).pathname}`;
    requests.push({ line, headers: request.headers, body: await request.text(), at: performance.now() });
    return new Response(null, { status: statuses[Math.min(requests.length, statuses.length) - 1] ?? 204 });
  });
  const outbox = createOutbox({
    queue: createMemoryMessageQueue(),
    destinations: [
      { name: 'hook', url: `${server.url}/hook/voice-events/v{version}`, version: 2, circuit: false, ...destination },
    ],
    allowNetworks: ['127.0.0.0/8'],
  });
  return {
    requests,
    outbox,
    deadLetters: async () => (await outbox.deadLetters.list()).map(({ reason }) => reason),
    [Symbol.asyncDispose]: async () => {
      await outbox.close(0);
      await server[Symbol.asyncDispose]();
    },
  };
};

const waitFor = (isThere: () => boolean | Promise<boolean>) =>
  inFakeTime(
    (async () => {
      while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 20));
    })(),
  );

const publish = { event: completed, payload, idempotencyKey: 'CA1:completed' };

it('POST /hook/voice-events/v{n} carries a versioned event and an Idempotency-Key', async () => {
  await using started = await start([204]);

  await started.outbox.publish(publish);
  await waitFor(() => started.requests.length === 1);

  const [request] = started.requests;
  expect(request?.line).toBe('POST /hook/voice-events/v2');
  expect(request?.headers.get('idempotency-key')).toBe('CA1:completed');
  expect(JSON.parse(request?.body ?? '')).toEqual({
    id: expect.any(String),
    type: 'call.completed',
    version: 2,
    timestamp: expect.any(String),
    data: payload,
  });
});

it('signs the body with X-Signature', async () => {
  await using started = await start([204], { signing: { secrets: () => 'shared' } });

  await started.outbox.publish(publish);
  await waitFor(() => started.requests.length === 1);

  const [{ headers, body } = { headers: new Headers(), body: '' }] = started.requests;
  expect(headers.get('x-signature')).toBe(`sha256=${createHmac('sha256', 'shared').update(body).digest('hex')}`);
});

it.each(['PUT', 'PATCH'] as const)('sends an update by %s', async (method) => {
  await using started = await start([204], { method });

  await started.outbox.publish(publish);
  await waitFor(() => started.requests.length === 1);

  expect(started.requests[0]?.line).toBe(`${method} /hook/voice-events/v2`);
});

it('several versions run in parallel, in the path or in a header', async () => {
  await using old = await start([204], { version: 1 });
  await using current = await start([204], { version: 2, versionHeader: 'Event-Version' });

  for (const { outbox } of [old, current]) await outbox.publish(publish);
  await waitFor(() => old.requests.length + current.requests.length === 2);

  expect([old.requests[0]?.line, JSON.parse(old.requests[0]?.body ?? '').data]).toEqual([
    'POST /hook/voice-events/v1',
    { callId: 'CA1' },
  ]);
  expect([current.requests[0]?.headers.get('event-version'), JSON.parse(current.requests[0]?.body ?? '').data]).toEqual(
    ['2', payload],
  );
});

it('a failed delivery is repeated after 1 s, 3 s, 10 s, 30 s and 2 min, and is then a dead letter', async () => {
  await using started = await start([500]);

  await started.outbox.publish(publish);
  await waitFor(async () => (await started.deadLetters()).length === 1);

  const times = started.requests.map(({ at }) => at);
  const waits = times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / 1000);
  expect(waits).toHaveLength(5);
  for (const [index, seconds] of [1, 3, 10, 30, 120].entries()) {
    expect(waits[index]).toBeGreaterThan(seconds * 0.79);
    expect(waits[index]).toBeLessThan(seconds * 1.21 + 0.5);
  }
  expect(new Set(started.requests.map(({ headers }) => headers.get('idempotency-key')))).toEqual(
    new Set(['CA1:completed']),
  );
  expect(await started.deadLetters()).toEqual(['attempts_exhausted']);
});

it('a 4xx is not repeated and is a dead letter at once', async () => {
  await using started = await start([422]);

  await started.outbox.publish(publish);
  await waitFor(async () => (await started.deadLetters()).length === 1);

  expect(started.requests).toHaveLength(1);
});

it('publishing does not wait for the delivery', async () => {
  await using started = await start([204]);

  const { status } = await started.outbox.publish(publish);

  expect([status, started.requests.length]).toEqual(['queued', 0]);
});
