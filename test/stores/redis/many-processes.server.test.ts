import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { Lane } from '../../../src/ports/rate-limiter.ts';
import { describeWithRedis, startRedisServer } from '../../support/redis-server.ts';
import type { TestServer } from '../../support/server-process.ts';
import { startCountingApi } from './processes/counting-api.ts';

const limit = 400;
const perMs = 4_000;
/** What the way over a busy machine may bunch together; 98 % of the limit is left. */
const spreadMs = 90;

const log = 'voice-agent:limit:{app}:app';

const sender = fileURLToPath(new URL('./processes/sender.ts', import.meta.url));

/** A machine that does much else at the time bunches more together than the spread allows for. */
const onABusyMachine = { retry: 2 };

describeWithRedis('four processes under one limit', () => {
  test('never send more than it in any window, use nearly all of it, and share it evenly', onABusyMachine, async () => {
    await using redis = await startRedisServer();
    const senders = Array.from({ length: 4 }, () => ({ lane: 'background' as const, atOnce: 20 }));
    const { counted, grants } = await run(senders, 4 * limit, redis);

    // By the clock of Redis nothing but the limiter decides.
    expect(grants.length).toBeGreaterThanOrEqual(4 * limit);
    expect(closest(grants)).toBeGreaterThanOrEqual(perMs + spreadMs);

    const moments = counted.map(({ at }) => at);
    const used = ((moments.length - limit) / limit) * (perMs / ((moments.at(-1) ?? 0) - (moments[0] ?? 0)));
    const shares = [0, 1, 2, 3].map(
      (name) => counted.slice(limit).filter((one) => one.sender === name).length / (3 * limit),
    );
    for (const share of shares) expect(share).toBeCloseTo(0.25, 1);
    expect(closest(moments)).toBeGreaterThanOrEqual(perMs);
    expect(used).toBeGreaterThanOrEqual(0.95);
  });

  test('live calls of one pass the background of the others', onABusyMachine, async () => {
    const background = Array.from({ length: 3 }, () => ({ lane: 'background' as const, atOnce: 20 }));
    await using redis = await startRedisServer();
    await fillEvenly(redis.url);
    const { passedBy } = await run([...background, { lane: 'live', atOnce: 1 }], 2 * limit, redis);

    const mostly = passedBy.toSorted((a, b) => a - b)[Math.floor(passedBy.length * 0.9)];
    // Sixty background requests stand in the queue at any moment.
    expect(passedBy.length).toBeGreaterThan(limit / 10);
    expect(mostly).toBeLessThan(20);
  });
});

/** The shortest time in which one more than the limit lies. */
const closest = (moments: readonly number[]) =>
  Math.min(...moments.slice(limit).map((at, index) => at - (moments[index] ?? 0)));

/** As after a window of steady traffic: a place falls free every few milliseconds. */
const fillEvenly = async (url: string) => {
  const client = new Redis(url);
  const [seconds] = await client.time();
  const places = Array.from({ length: limit }, (_, place) => [
    Number(seconds) * 1_000 + (place / limit - 1) * perMs + 1_000,
    `before:${place}`,
  ]);
  await client.zadd(log, ...places.flat());
  client.disconnect();
};

/** Lets processes send until the API has counted so many. */
const run = async (
  senders: readonly { readonly lane: Lane; readonly atOnce: number }[],
  count: number,
  redis: TestServer,
) => {
  await using api = await startCountingApi(senders.length);
  const client = new Redis(redis.url);
  /** When each place was taken, by its name. */
  const grants = new Map<string, number>();
  const look = async () => {
    // In pairs or one after the other, as the protocol of the connection has it.
    const answer = (await client.call('ZRANGE', log, '0', '-1', 'WITHSCORES')) as (string | string[])[];
    const places = answer.flat();
    for (let at = 0; at < places.length; at += 2) grants.set(places[at] ?? '', Number(places[at + 1]));
  };
  const watch = async () => {
    for (let some = limit / 4; some <= count; some += limit / 4) {
      await api.hasCounted(some);
      await look();
    }
  };
  const settings = [limit, perMs, spreadMs].map(String);
  const running = senders.map(({ lane, atOnce }) =>
    spawn(process.execPath, [sender, redis.url, String(api.port), lane, String(atOnce), ...settings], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const ends = running.map(async (child) => {
    await once(child, 'exit');
    throw new Error('a sender has ended by itself');
  });
  try {
    await Promise.race([watch(), ...ends]);
    return {
      counted: api.counted.slice(0, count),
      passedBy: [...api.passedBy],
      grants: [...grants.values()].toSorted((a, b) => a - b),
    };
  } finally {
    for (const child of running) child.kill('SIGKILL');
    await Promise.allSettled(ends);
    client.disconnect();
  }
};
