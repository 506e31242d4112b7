import type { Redis } from 'ioredis';

/** Lets the time of the server pass for all claims under a prefix. */
export const ageClaims = async (client: Redis, prefix: string, ms: number): Promise<void> => {
  for (const key of await client.keys(`${prefix}*`)) {
    if (await client.hexists(key, 'leaseUntil')) await client.hincrby(key, 'leaseUntil', -ms);
    const left = (await client.pttl(key)) - ms;
    await (left > 0 ? client.pexpire(key, left) : client.del(key));
  }
};
