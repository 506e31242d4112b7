import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { Lane } from '../../../src/stores/ports/rate-limiter.ts';
import { describeWithRedis, startRedisServer } from '../../support/redis-server.ts';
import { startCountingApi } from './processes/counting-api.ts';

/** One place falls free every forty milliseconds: a process that gets no time for a while misses a few of them. */
const limit = 100;
const perMs = 4_000;
/** A place is taken that long, so that the way to the API brings none too early. */
const holdMs = perMs * 1.02;

const log = 'voice-agent:limit:{app}:app';

const sender = fileURLToPath(new URL('./processes/sender.ts', import.meta.url));

/** Judged by the clock of Redis and by counting: what a busy machine does to the way from there changes neither. */
describeWithRedis('four processes under one limit', () => {
  test('never send more than it in any window, and use nearly all of it', async () => {
    const senders = Array.from({ length: 4 }, () => ({ lane: 'background' as const, atOnce: 20 }));
    const { counted, places } = await run(senders, 2 * limit);

    const moments = places.map(({ at }) => at);
    expect(closest(moments)).toBeGreaterThanOrEqual(holdMs);

    const granted = places.filter(({ process }) => process !== 'before');
    // What was sent had a place.
    expect(counted).toBeLessThanOrEqual(granted.length);
    const used = ((moments.length - limit) / limit) * (holdMs / (Math.max(...moments) - (moments[limit - 1] ?? 0)));
    expect(used).toBeGreaterThanOrEqual(0.95);
  });

  test('live calls of one pass the background of the others', async () => {
    const background = Array.from({ length: 3 }, () => ({ lane: 'background' as const, atOnce: 20 }));
    const { passedBy } = await run([...background, { lane: 'live', atOnce: 1 }], 2 * limit);

    // Sixty background requests always wait. Without lanes, the live process would get a quarter.
    expect(passedBy.length).toBeGreaterThan(limit);
    expect(passedBy.filter((others) => others === 0).length).toBeGreaterThan(passedBy.length * 0.8);
  });
});

/** The shortest time in which one more than the limit lies. */
const closest = (moments: readonly number[]) =>
  Math.min(...moments.slice(limit).map((at, index) => at - (moments[index] ?? 0)));

/** As after a window of steady traffic. */
const fillEvenly = async (client: Redis) => {
  const [seconds, microseconds] = await client.time();
  const now = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
  const places = Array.from({ length: limit }, (_, place) => [
    now - (1 - (place + 1) / limit) * holdMs,
    `before:${place}`,
  ]);
  await client.zadd(log, ...places.flat());
};

/** Lets processes send until the API has counted so many: how many it did count, and when each place was taken. */
const run = async (senders: readonly { readonly lane: Lane; readonly atOnce: number }[], count: number) => {
  await using redis = await startRedisServer();
  await using api = await startCountingApi(senders.length);
  const client = new Redis(redis.url);
  const taken = new Map<string, number>();
  const look = async () => {
    // In pairs or one after the other, as the protocol of the connection has it.
    const answer = (await client.call('ZRANGE', log, '0', '-1', 'WITHSCORES')) as (string | string[])[];
    const places = answer.flat();
    for (let at = 0; at < places.length; at += 2) taken.set(places[at] ?? '', Number(places[at + 1]));
  };
  const watch = async () => {
    await api.isReady;
    await fillEvenly(client);
    await look();
    api.begin();
    for (let some = limit / 4; some <= count; some += limit / 4) {
      await api.hasCounted(some);
      await look();
    }
  };
  const settings = [limit, perMs].map(String);
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
    const counted = api.counted();
    await look();
    const places = [...taken].map(([name, at]) => ({ process: name.split(':')[0] ?? '', at }));
    return { counted, passedBy: [...api.passedBy], places: places.toSorted((a, b) => a.at - b.at) };
  } finally {
    for (const child of running) child.kill('SIGKILL');
    await Promise.allSettled(ends);
    client.disconnect();
  }
};
