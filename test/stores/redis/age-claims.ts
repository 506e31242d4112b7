import type { Redis } from 'ioredis';

/** Lets the time of the server pass for all claims under a prefix. */
export const ageClaims = async (client: Redis, prefix: string, ms: number): Promise<void> => {
  for (const key of await client.keys(`${prefix}*`)) {
    const left = (await client.pttl(key)) - ms;
    const [, head, writtenAt, document] = /^(\d+ \S+) (\d+) (.*)$/.exec((await client.get(key)) ?? '') ?? [];
    // The note of the format has no time.
    if (document === undefined) continue;
    if (left > 0) await client.set(key, `${head} ${Number(writtenAt) - ms} ${document}`, 'PX', left);
    else await client.del(key);
  }
};
