import type { Redis } from 'ioredis';
import type { TokenStore } from 'voice-agent-integrations/auth';

const releaseOwn = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end";

/** Encrypts what is stored: anyone who reads it could act as the application. */
export interface Cipher {
  encrypt(text: string): string;
  decrypt(text: string): string;
}

/** Shares access tokens among processes, so that one renews and the others find its token. */
export const redisTokenStore = (redis: Pick<Redis, 'get' | 'set' | 'eval'>, cipher: Cipher): TokenStore => ({
  get: async (key) => {
    const text = await redis.get(key);
    return text === null ? undefined : JSON.parse(cipher.decrypt(text));
  },
  set: async (key, token, { retainMs }) => {
    await redis.set(key, cipher.encrypt(JSON.stringify(token)), 'PX', Math.ceil(retainMs));
  },
  claim: async (key, { leaseMs }) => {
    const own = crypto.randomUUID();
    const isOurs = await redis.set(`${key}:claim`, own, 'PX', leaseMs, 'NX');
    return isOurs === null ? undefined : async () => void (await redis.eval(releaseOwn, 1, `${key}:claim`, own));
  },
});
