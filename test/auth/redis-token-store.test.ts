import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { redisTokenStore } from '../../examples/recipes/redis-token-store.ts';

const token = { accessToken: 'token-1', issuedAt: 1, expiresAt: 2, details: { scope: 'read' } };
const cipher = { encrypt: (text: string) => btoa(text), decrypt: (text: string) => atob(text) };

/** A Redis in memory, as far as the store needs one: values, `NX`, and a script that deletes a value of one's own. */
const createRedis = () => {
  const values = new Map<string, string>();
  const redis: Record<keyof Pick<Redis, 'get' | 'set' | 'eval'>, unknown> = {
    get: async (key: string) => values.get(key) ?? null,
    set: async (key: string, value: string, ...[, , condition]: unknown[]) => {
      if (condition === 'NX' && values.has(key)) return null;
      values.set(key, value);
      return 'OK';
    },
    eval: async (_script: string, _keys: number, key: string, own: string) =>
      values.get(key) === own && values.delete(key) ? 1 : 0,
  };
  return { values, redis: redis as Pick<Redis, 'get' | 'set' | 'eval'> };
};

test('keeps tokens encrypted, and returns them', async () => {
  const { redis, values } = createRedis();
  const store = redisTokenStore(redis, cipher);

  expect(await store.get('crm')).toBeUndefined();
  await store.set('crm', token, { retainMs: 1_000.5 });

  expect(await store.get('crm')).toEqual(token);
  expect([...values.values()].join()).not.toContain('token-1');
});

test('lets one process at a time renew, until it releases its own claim', async () => {
  const { redis, values } = createRedis();
  const store = redisTokenStore(redis, cipher);

  const release = await store.claim?.('crm', { leaseMs: 1_000 });
  expect(await store.claim?.('crm', { leaseMs: 1_000 })).toBeUndefined();

  await release?.();
  const second = await store.claim?.('crm', { leaseMs: 1_000 });
  expect(second).toBeTypeOf('function');
  await release?.(); // its lease is over: the claim is another's
  expect(values.has('crm:claim')).toBe(true);
});
