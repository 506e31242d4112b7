import { StoreError } from '../../core/errors.ts';
import type { ServerWarning } from '../server-warning.ts';
import type { SendCommand } from './client.ts';

/** What decides whether a Redis forgets. `undefined`: it would not say. */
export interface RedisSettings {
  /** What it throws away when it is full: nothing with `noeviction`. */
  readonly maxmemoryPolicy: string | undefined;
  /** Whether it writes to disk at all. */
  readonly appendOnly: boolean | undefined;
  /** When that is flushed. */
  readonly appendFsync: 'always' | 'everysec' | 'no' | undefined;
}

/**
 * Asks the server. Managed ones often refuse CONFIG; INFO then says everything except when it flushes. Rejects when the server does
 * not answer at all.
 */
export const readRedisSettings = async (send: SendCommand): Promise<RedisSettings> => {
  const [memory, persistence, fsync] = await Promise.all([
    send('INFO', 'memory').then(toText, ifRefused),
    send('INFO', 'persistence').then(toText, ifRefused),
    send('CONFIG', 'GET', 'appendfsync').then(toText, ifRefused),
  ]);
  const policy = /maxmemory_policy:([\w-]+)/.exec(memory)?.[1];
  const aof = /aof_enabled:([01])/.exec(persistence)?.[1];
  const flush = /\b(always|everysec|no)\b/.exec(fsync.replace('appendfsync', ''))?.[1];
  return {
    maxmemoryPolicy: policy,
    appendOnly: aof === undefined ? undefined : aof === '1',
    appendFsync: flush as RedisSettings['appendFsync'],
  };
};

/** What is wrong with a server that has to remember claims. */
export const redisWarnings = (settings: RedisSettings): ServerWarning[] => {
  const { maxmemoryPolicy, appendOnly, appendFsync } = settings;
  const warnings: ServerWarning[] = [];
  const warn = (code: string, message: string) => warnings.push({ code, message });
  if (maxmemoryPolicy === undefined || appendOnly === undefined)
    warn(
      'redis_settings_unknown',
      `This Redis doesn't say its settings. It keeps claims only with maxmemory-policy noeviction and appendonly yes: check them.`,
    );
  if (maxmemoryPolicy !== undefined && maxmemoryPolicy !== 'noeviction')
    warn(
      'redis_may_evict',
      `This Redis throws keys away when its memory is full (maxmemory-policy ${maxmemoryPolicy}): it is a cache, not a memory for claims, and what it forgets is done twice. Set maxmemory-policy noeviction, or use another Redis.`,
    );
  if (appendOnly === false)
    warn(
      'redis_not_on_disk',
      `This Redis forgets claims when it restarts: its append-only file is off. Set appendonly yes, with appendfsync always where the loss of one second counts.`,
    );
  if (appendOnly && appendFsync === 'no')
    warn(
      'redis_flushes_late',
      `This Redis leaves it to the system when claims are flushed to disk: a power loss takes about half a minute of them. Set appendfsync always, or everysec to lose one second at most.`,
    );
  return warnings;
};

/**
 * An error that a server answers begins with a word such as `NOPERM`, of which ioredis' name is left in a `StoreError`; what
 * is said of a connection does not.
 */
export const ifRefused = (error: unknown): string => {
  const original = error instanceof StoreError ? error.cause : error;
  if (original instanceof Error && /^([A-Z]+\b|ReplyError)/.test(original.message)) return '';
  throw error;
};

/** Drivers give lists, objects or maps. */
const toText = (answer: unknown): string => {
  if (typeof answer === 'string') return answer;
  return JSON.stringify(answer instanceof Map ? [...answer] : (answer ?? ''));
};
