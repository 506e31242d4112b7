import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { expectTypeOf, test } from 'vitest';
import type { RateLimiter } from 'voice-agent-integrations';
import { postgres } from 'voice-agent-integrations/stores/postgres';
import { redis, type RedisClient } from 'voice-agent-integrations/stores/redis';
import { createEventWaits, createWebhookReceiver, hmac } from 'voice-agent-integrations/webhooks';

const client = new Redis({ lazyConnect: true });
const pool = new Pool();

/** What node-redis gives, as far as it matters here. */
declare const nodeRedis: {
  sendCommand<T = unknown>(args: readonly string[], options?: object): Promise<T>;
  subscribe(channels: string | string[], listener: (message: string, channel: string) => unknown): Promise<void>;
  unsubscribe(channels?: string | string[], listener?: (message: string, channel: string) => unknown): Promise<void>;
};

test('the drivers fit as they are', () => {
  expectTypeOf(client).toExtend<RedisClient>();
  expectTypeOf(nodeRedis).toExtend<RedisClient>();
  redis({ client }).eventExchange({ subscriber: client.duplicate() });
  redis({ client: nodeRedis }).eventExchange({ subscriber: nodeRedis });
  postgres({ pool }).eventExchange();
});

test('a shared limiter is a rate limiter, and asks what to do without its server', () => {
  const { rateLimiter } = redis({ client });
  const options = { name: 'messaging', limit: 1000, perMs: 60_000 };
  expectTypeOf(rateLimiter({ ...options, whenUnavailable: 'refuse' })).toEqualTypeOf<RateLimiter>();
  rateLimiter({ ...options, whenUnavailable: { fallback: 'local', processes: 4 } });
  // @ts-expect-error There is no default that is right for every application.
  rateLimiter(options);
  // @ts-expect-error A share needs to know of how many.
  rateLimiter({ ...options, whenUnavailable: { fallback: 'local' } });
});

test('receivers take either store', () => {
  const receiver = { authentication: [hmac({ secrets: () => 'secret' })], events: {}, on: {} };
  createWebhookReceiver({ ...receiver, store: redis({ client }).idempotencyStore() });
  createWebhookReceiver({ ...receiver, store: postgres({ pool }).idempotencyStore() });
});

test('a wait gives the event, whatever carries it', async () => {
  const waits = createEventWaits<{ id: string }>({ exchange: postgres({ pool }).eventExchange() });
  expectTypeOf(await waits.waitForEvent({ key: 'k', deadline: 1 })).toEqualTypeOf<{ id: string } | undefined>();
  expectTypeOf(waits.arrived).returns.toEqualTypeOf<Promise<void>>();
});
