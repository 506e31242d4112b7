import { expect, test } from 'vitest';
import { createSharedPlaces } from '../../../src/stores/redis/shared-places.ts';

const open = (reply: unknown) => {
  const sent: (readonly string[])[] = [];
  const places = createSharedPlaces({
    send: async (...command) => {
      sent.push(command);
      return reply;
    },
    prefix: 'limit:{crm}:',
    app: { limit: 10, holdMs: 1_000 },
    tenant: undefined,
    newName: () => 'p:2',
    process: 'p:1',
    onGrant: () => undefined,
    onReturn: () => undefined,
  });
  return { places, sent };
};

const request = { key: 'acme', weight: 2, lane: 'live', ahead: 0, wanted: 2, maxWaitMs: Infinity } as const;

test('asks Redis with one command that holds the whole question', async () => {
  const { places, sent } = open([0, 0]);

  expect(await places.ask(request)).toEqual({ granted: true, giveBack: expect.any(Function) });

  expect(sent).toHaveLength(1);
  expect(sent[0]?.slice(0, 1)).toEqual(['EVALSHA']);
  expect(JSON.parse(sent[0]?.at(-1) ?? '')).toEqual({
    ...request,
    maxWaitMs: 1e9,
    mode: 'ask',
    name: 'p:2',
    process: 'p:1',
    app: { limit: 10, holdMs: 1_000, reserve: 1 },
    graceMs: 100,
  });
});

test.each([
  [[1, 250], 'app', 250],
  [[2, 40], 'tenant', 40],
  [[3, 9_000], 'pause', 9_000],
])('reads %j as a refusal by the %s', async (reply, by, waitMs) => {
  expect(await open(reply).places.ask(request)).toEqual({ granted: false, waitMs, by });
});
