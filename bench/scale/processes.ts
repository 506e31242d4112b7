import type { Credential } from '../../src/http/credential.ts';
import { createHttpClient } from '../../src/http/client.ts';
import type { ConnectionOptions, HttpClient } from '../../src/http/operation.ts';
import type { RateLimiter } from '../../src/stores/ports/rate-limiter.ts';
import { type RedisRateLimiterOptions, createRedisRateLimiter } from '../../src/stores/redis/rate-limiter.ts';
import type { SimulatedApi } from './simulated-api.ts';
import type { SimulatedRedis } from './simulated-redis.ts';

/** One process of the application, with a client of its own, as it is delivered. */
export interface Process {
  readonly client: HttpClient;
  readonly limiter: RateLimiter | undefined;
}

export interface ProcessOptions {
  readonly count: number;
  readonly api: SimulatedApi;
  /** A limit that all share over this Redis. */
  readonly shared?: Pick<RedisRateLimiterOptions, 'limit' | 'perMs' | 'whenUnavailable'> & {
    readonly redis: SimulatedRedis;
  };
  readonly connection?: Partial<ConnectionOptions>;
}

export const createProcesses = ({ count, api, shared, connection }: ProcessOptions): readonly Process[] =>
  Array.from({ length: count }, () => {
    const limiter = shared && createRedisRateLimiter({ ...shared, client: shared.redis.client, name: 'messaging' });
    const client = createHttpClient({
      api: 'messaging',
      version: '1',
      baseUrl: 'https://api.example.com',
      authenticate,
      transport: api.transport,
      ...(limiter && { rateLimit: limiter }),
      ...connection,
    });
    return { client, limiter };
  });

const authenticate: Credential = {
  read: async () => ({ headers: { authorization: 'Bearer token' }, secrets: [] }),
  renew: async () => undefined,
};
