import { expect, test } from 'vitest';
import { createSharedPermits } from '../../../src/stores/redis/shared-permits.ts';

const open = (reply: unknown) => {
  const sent: (readonly string[])[] = [];
  const permits = createSharedPermits({
    send: async (...command) => {
      sent.push(command);
      return reply;
    },
    prefix: 'limit:{crm}:',
    app: { limit: 10, holdMs: 1_000 },
    tenant: undefined,
    newName: () => 'p:2',
    onGrant: () => undefined,
    onRelease: () => undefined,
  });
  return { permits, sent };
};

const request = {
  key: 'acme',
  weight: 2,
  lane: 'live',
  ahead: { app: 0, tenant: 0 },
  maxWaitMs: Infinity,
} as const;

test('sends the whole request to Redis in one command', async () => {
  const { permits, sent } = open([0, 0]);

  expect(await permits.tryAcquire(request)).toEqual({ granted: true, release: expect.any(Function) });

  expect(sent).toHaveLength(1);
  expect(sent[0]?.slice(0, 1)).toEqual(['EVALSHA']);
  expect(JSON.parse(sent[0]?.at(-1) ?? '')).toEqual({
    ...request,
    ahead: 0,
    maxWaitMs: 1e9,
    mode: 'acquire',
    name: 'p:2',
    app: { limit: 10, holdMs: 1_000, reserve: 1 },
  });
});

test.each([
  [[1, 250], 'app', 250],
  [[2, 40], 'tenant', 40],
  [[3, 9_000], 'pause', 9_000],
])('reads %j as a refusal by the %s', async (reply, by, waitMs) => {
  expect(await open(reply).permits.tryAcquire(request)).toEqual({ granted: false, waitMs, by });
});
