/**
 * Started as a process of its own: keeps so many requests at once under a limit in Redis, until it is ended. A request
 * is one letter on an open connection; a sender that is `live` says first that it asks.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { createRedisRateLimiter } from '../../../../src/stores/redis/rate-limiter.ts';

const [redisUrl = '', port = '', lane = '', atOnce = '1', limit = '1', perMs = '1'] = process.argv.slice(2);
if (lane !== 'live' && lane !== 'background') throw new Error(`${lane} is no lane`);

const client = new Redis(redisUrl);
const limiter = createRedisRateLimiter({
  client,
  name: 'app',
  limit: Number(limit),
  perMs: Number(perMs),
  // Many processes start on few cores here.
  timeoutMs: 5_000,
  whenUnavailable: 'refuse',
});
await client.ping();
const api = connect(Number(port), '127.0.0.1').setNoDelay(true);
await once(api, 'data');

const { signal } = new AbortController();
const send = async () => {
  for (;;) {
    if (lane === 'live') api.write('?');
    await limiter.acquire({ key: '', lane, maxWaitMs: 60_000, signal });
    api.write('!');
  }
};
await Promise.all(Array.from({ length: Number(atOnce) }, send));
