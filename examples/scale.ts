/**
 * Two workers and a publisher on one Redis, each a process of its own, and one of the workers is killed in the middle:
 * `npm run example scale`. Uses `REDIS_URL`, or starts an installed redis-server.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { openRedis } from './scale/redis.ts';

const events = 100;

await using redis = await openRedis();
if (redis) await run(redis.url);
else console.log('Skipped: redis-server is not installed, and REDIS_URL names none.');

async function run(redisUrl: string): Promise<void> {
  /** Plays the CRM: how often each event was delivered, by its idempotency key. */
  const received = new Map<string, number>();
  const server = createServer((request, response) => {
    const key = String(request.headers['idempotency-key']);
    received.set(key, (received.get(key) ?? 0) + 1);
    setTimeout(() => response.writeHead(200).end(), 50);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const crmUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const start = (role: 'worker' | 'publisher', name: string) => {
    const settings = { REDIS_URL: redisUrl, CRM_URL: crmUrl, NAME: name, EVENTS: String(events) };
    // Ignores what an earlier run published to the same Redis.
    const environment = { ...process.env, ...settings, RUN: String(process.pid) };
    const script = fileURLToPath(new URL(`./scale/${role}.ts`, import.meta.url));
    return fork(script, { env: environment, execArgv: ['--import', './scripts/from-source.js'] });
  };
  const receivedAtLeast = async (count: number) => {
    while (received.size < count) await once(server, 'request');
  };

  const [first, second] = [start('worker', 'worker 1'), start('worker', 'worker 2')];
  const [published] = await Promise.all([once(start('publisher', 'publisher'), 'exit'), receivedAtLeast(events / 3)]);
  console.log(`The publisher has ended with code ${published[0]}: every event that it published is stored.`);

  first.kill('SIGKILL');
  console.log('Worker 1 is killed. What it had in hand goes to worker 2 when its lease is over.');
  await receivedAtLeast(events);

  const ended = once(second, 'exit');
  second.kill('SIGTERM');
  await ended;
  const twice = [...received.values()].filter((times) => times > 1).length;
  console.log(`The CRM got ${received.size} of ${events} events, ${twice} of them more than once, with the same key.`);
  server.closeAllConnections();
  server.close();
}
