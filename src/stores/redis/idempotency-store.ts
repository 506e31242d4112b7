import { ignoreErrors } from '../../observability/ignore-errors.ts';
import { type Claim, type IdempotencyStore, type KeptWork } from '../ports/idempotency-store.ts';
import type { Json } from '../ports/json.ts';
import { answeredWithin } from '../answered-within.ts';
import { emitServerWarning, type OnServerWarning } from '../server-warning.ts';
import { commandsOf, createScript, type RedisClient } from './client.ts';
import { readRedisSettings, redisWarnings } from './server-settings.ts';

/** Where claims are kept in Redis, and how long to wait for it. */
export interface RedisIdempotencyStoreOptions {
  /** Begins every key. Give it braces, such as `{claims}:`, only to keep all keys on one node of a cluster. @defaultValue 'voice-agent:claims:' */
  readonly prefix?: string | undefined;
  /** After this without an answer a method rejects with `StoreError`; the server may still do what you asked for. @defaultValue 2000 */
  readonly timeoutMs?: number | undefined;
  /**
   * Gets, once, what the settings of the server put at risk: eviction, nothing on disk.
   * @defaultValue a warning of the Node process
   */
  readonly onWarning?: OnServerWarning | undefined;
}

export const createRedisIdempotencyStore = ({
  client,
  prefix = 'voice-agent:claims:',
  timeoutMs = 2_000,
  onWarning = emitServerWarning,
}: RedisIdempotencyStoreOptions & { readonly client: RedisClient }): IdempotencyStore => {
  const send = commandsOf(client);
  const [claim, renew, look, settle, release] = [claimScript, renewScript, readScript, settleScript, releaseScript].map(
    (text) => createScript(send, text),
  );
  const answered = <T>(answer: Promise<T> | undefined) =>
    answeredWithin(Promise.resolve(answer), { server: 'Redis', ms: timeoutMs });
  let isChecked = false;

  const check = async () => {
    isChecked = true;
    const settings = await readRedisSettings(send);
    for (const warning of redisWarnings(settings)) ignoreErrors(() => onWarning(warning));
  };

  const lookAgain = () => {
    isChecked = false;
  };

  return {
    claim: async (key, { fingerprint, leaseMs, retainMs, reopen = false }) => {
      const name = crypto.randomUUID();
      const answer = await answered(
        claim?.([prefix + key], [fingerprint, name, leaseMs, retainMs, reopen ? 'reopen' : '']),
      );
      if (!isChecked) void check().catch(lookAgain);
      return toClaim(answer, name);
    },
    read: async (key) => toKept(await answered(look?.([prefix + key], []))),
    renew: async (key, name, { leaseMs, note }) =>
      (await answered(renew?.([prefix + key], [name, leaseMs, JSON.stringify(note)]))) === 1,
    settle: async (key, name, result) =>
      (await answered(settle?.([prefix + key], [name, JSON.stringify(result)]))) === 1,
    release: async (key, name) => void (await answered(release?.([prefix + key], [name]))),
  };
};

/** The scripts below are the only writers of these answers. */
const toClaim = (answer: unknown, claim: string): Claim => {
  const [state, value = '', isReopened] = (answer as readonly unknown[]).map(String);
  if (state === 'in-progress') return { state, retryAfterMs: Number(value) };
  if (state === 'finished') {
    const result = JSON.parse(value) as Json;
    return isReopened ? { state, result, claim } : { state, result };
  }
  if (state === 'unknown') return { state, claim, note: JSON.parse(value) as Json };
  return state === 'conflict' ? { state } : { state: 'new', claim };
};

const toKept = (answer: unknown): KeptWork | undefined => {
  const [state, value = ''] = (answer as readonly unknown[]).map(String);
  if (state === 'in-progress') return { state, retryAfterMs: Number(value) };
  if (state === 'finished') return { state, result: JSON.parse(value) as Json };
  return state === 'unknown' ? { state, note: JSON.parse(value) as Json } : undefined;
};

/** Milliseconds since 1970, as the server has it: processes may disagree. */
const now = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** When the clock was set back since the claim, its lease starts over: it must not last for as long as that. */
const readKept = `
  local kept = redis.call('HMGET', KEYS[1], 'fingerprint', 'result', 'note', 'leaseUntil', 'leaseMs')
  local leaseUntil = tonumber(kept[4] or 0)
  if kept[5] and leaseUntil - now > tonumber(kept[5]) then
    leaseUntil = now + tonumber(kept[5])
    redis.call('HSET', KEYS[1], 'leaseUntil', string.format('%.0f', leaseUntil))
  end`;

const claimScript = `${now}
  local fingerprint, claim, leaseMs, retainMs = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
  ${readKept}
  if kept[1] and kept[1] ~= fingerprint then return {'conflict'} end
  if kept[2] and ARGV[5] ~= 'reopen' then return {'finished', kept[2]} end
  if leaseUntil > now then return {'in-progress', tostring(leaseUntil - now)} end
  redis.call('HSET', KEYS[1], 'fingerprint', fingerprint, 'claim', claim, 'retainMs', retainMs,
    'leaseMs', leaseMs, 'leaseUntil', string.format('%.0f', now + leaseMs))
  redis.call('PEXPIRE', KEYS[1], math.ceil(math.max(retainMs, leaseMs)))
  if kept[2] then return {'finished', kept[2], 'reopened'} end
  if kept[3] then return {'unknown', kept[3]} end
  return {'new'}`;

const readScript = `${now}
  ${readKept}
  if leaseUntil > now then return {'in-progress', tostring(leaseUntil - now)} end
  if kept[2] then return {'finished', kept[2]} end
  if kept[3] then return {'unknown', kept[3]} end
  return {}`;

const isHeld = `${now}
  local held = redis.call('HMGET', KEYS[1], 'claim', 'leaseUntil', 'retainMs')
  local isHeld = held[1] == ARGV[1] and tonumber(held[2]) > now`;

const renewScript = `${isHeld}
  if not isHeld then return 0 end
  local leaseMs = tonumber(ARGV[2])
  redis.call('HSET', KEYS[1], 'note', ARGV[3], 'leaseMs', leaseMs, 'leaseUntil', string.format('%.0f', now + leaseMs))
  redis.call('HDEL', KEYS[1], 'result')
  redis.call('PEXPIRE', KEYS[1], math.ceil(math.max(tonumber(held[3]), leaseMs)))
  return 1`;

const settleScript = `${isHeld}
  if not isHeld then return 0 end
  redis.call('HSET', KEYS[1], 'result', ARGV[2])
  redis.call('HDEL', KEYS[1], 'claim', 'leaseUntil', 'note')
  redis.call('PEXPIRE', KEYS[1], math.ceil(tonumber(held[3])))
  return 1`;

const releaseScript = `${isHeld}
  if isHeld then redis.call('DEL', KEYS[1]) end
  return 1`;
