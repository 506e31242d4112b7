import { describe, expect, test } from 'vitest';
import { bullmq } from '../../src/stores/bullmq/message-queue.ts';
import { describeWithPostgres, startPostgresServer } from '../support/postgres-server.ts';
import { describeWithRedis, startRedisServer } from '../support/redis-server.ts';
import type { TestServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { startReceiver } from './crash/receiver.ts';
import { drain, judge, randomFrom, run, runAndKill } from './crash/run-and-kill.ts';

/** Kills in each of the four tests. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 2);
const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

const outlives = (start: () => Promise<TestServer>) => {
  test(`two workers are killed ${rounds} times: nothing acknowledged is lost, nothing is done twice (seed ${seed})`, async () => {
    const random = randomFrom(seed);
    await using server = await start();
    await using receiver = await startReceiver({ faults: false, random });
    const acknowledged = new Set<string>();

    for (let round = 0; round < rounds; round += 1) {
      const names = [`${round}-a`, `${round}-b`];
      await Promise.all(names.map((name) => runAndKill([server.url, receiver.url, name], acknowledged, random)));
    }

    await expectNoDeadLetters(server);
    expect(await drain(server.url, receiver.url)).toBe(0);
    expect(acknowledged.size).toBeGreaterThan(rounds);
    expect(judge(acknowledged, receiver).lost).toEqual([]);
    expect(judge(acknowledged, receiver).differentBodies).toBe(receiver.effects.size);
    expect(receiver.contradictions).toEqual([]);
  });

  test(`the server is killed ${rounds} times under load: nothing acknowledged is lost, nothing is done twice (seed ${seed})`, async () => {
    const random = randomFrom(seed);
    await using server = await start();
    await using receiver = await startReceiver({ faults: false, random });
    const acknowledged = new Set<string>();
    const workers = ['a', 'b'].map((name) =>
      run([server.url, receiver.url, name], (key) => void acknowledged.add(key)),
    );

    for (let round = 0; round < rounds; round += 1) {
      const enough = acknowledged.size + 50 + random() * 200;
      await until(() => acknowledged.size > enough);
      await server.kill();
      await server.restart();
    }
    const afterwards = acknowledged.size + 50;
    await until(() => acknowledged.size > afterwards);
    await Promise.all(workers.map(({ kill }) => kill()));

    await expectNoDeadLetters(server);
    expect(await drain(server.url, receiver.url)).toBe(0);
    expect(judge(acknowledged, receiver).lost).toEqual([]);
    expect(judge(acknowledged, receiver).differentBodies).toBe(receiver.effects.size);
    expect(receiver.contradictions).toEqual([]);
  });
};

/** Being in flight at a crash is no reason to die. */
const expectNoDeadLetters = async ({ url }: TestServer) => {
  const queue = bullmq({ connection: url, timeoutMs: 30_000 });
  expect(await queue.admin.deadLetters()).toEqual([]);
  await queue.close(0);
};

// All at once: most of the time each waits for the locks of what it killed.
describe.concurrent('an outbox outlives kills', () => {
  describeWithRedis('on Redis with an append-only file that is always flushed', () =>
    outlives(() => startRedisServer({ appendOnly: 'always' })),
  );

  describeWithPostgres('on PostgreSQL', () => outlives(() => startPostgresServer()));
});
