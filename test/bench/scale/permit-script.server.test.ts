import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { exponential, randomFrom } from '../../../bench/scale/random.ts';
import { createPermitScript } from '../../../bench/scale/simulated-redis.ts';
import { permitScript } from '../../../src/stores/redis/permit-script.ts';
import { describeWithRedis, startRedisServer } from '../../support/redis-server.ts';

const app = { limit: 20, holdMs: 2_000, reserve: 2 };

/** What four processes ask, as their limiters do, at moments of a clock that both share. */
const questions = (seed: number) => {
  const random = randomFrom(seed);
  const whole = (below: number) => Math.floor(random() * below);
  let at = 1_000_000;
  return Array.from({ length: 600 }, (_, index) => {
    at += Math.round(exponential(70, random) * 1_000) / 1_000;
    const weight = 1 + (whole(10) === 0 ? whole(3) : 0);
    const isReturned = whole(20) === 0;
    const question = {
      mode: isReturned ? 'release' : 'acquire',
      key: '',
      name: `grant:${isReturned ? whole(index + 1) : index}`,
      weight,
      ahead: whole(3) === 0 ? whole(5) : 0,
      // Live ones come so often that the reserve stays, which the server keeps on a clock of its own.
      lane: index === 0 || whole(3) > 0 ? 'live' : 'background',
      maxWaitMs: whole(2_000),
      app,
      grants: [],
    };
    return { at, question: JSON.stringify(question) };
  });
};

describeWithRedis('the script of the shared limit, and what the simulation has in its place', () => {
  test.each([1, 2, 3])('give all processes the same answer (%s)', async (seed) => {
    await using server = await startRedisServer();
    const client = new Redis(server.url);
    const onGivenTime = permitScript.replace("redis.call('TIME')", '{ARGV[2], ARGV[3]}');
    expect(onGivenTime).not.toBe(permitScript);
    const keys = ['pause', 'live:until', 'app', 'live:seen'];
    let now = 0;
    const simulated = createPermitScript(() => now);

    const [fromRedis, fromSimulation]: [unknown[], unknown[]] = [[], []];
    for (const { at, question } of questions(seed)) {
      now = at;
      const time = [Math.floor(at / 1_000), Math.round((at % 1_000) * 1_000)];
      fromRedis.push(await client.eval(onGivenTime, keys.length, ...keys, question, ...time));
      fromSimulation.push(simulated.ask(question));
    }
    client.disconnect();

    expect(fromSimulation).toEqual(fromRedis);
    expect(fromRedis.filter((answer) => String(answer) !== '0,0').length).toBeGreaterThan(100);
  });
});
