import { StoreError } from '../../core/errors.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import { answeredWithin } from '../answered-within.ts';
import { type Change, type ClaimDocument, claimFormat, createClaims, type Expected } from '../claims.ts';
import { assertFormat } from '../format.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import { prepareOnce } from '../prepare-once.ts';
import { emitServerWarning, type OnServerWarning, type ServerWarning } from '../server-warning.ts';
import { commandsOf, createScript, type RedisClient, type SendCommand } from './client.ts';

/** Options of an idempotency store in Redis. */
export interface RedisIdempotencyStoreOptions {
  /** Begins every key. Give it braces, such as `{claims}:`, only to keep all keys on one node of a cluster. @defaultValue 'voice-agent:claims:' */
  readonly prefix?: string | undefined;
  /**
   * The longest wait for an answer. Then a method rejects with `StoreError`; the server may still do what you asked
   * for. @defaultValue 2000
   */
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
  const run = createScript(send, script);
  const place = `Redis has claims under ${prefix}`;

  const assertOurs = (found: unknown) =>
    assertFormat({ place, found: Number(found), known: claimFormat, instead: 'another prefix' });

  const ready = prepareOnce(async () => {
    assertOurs(await readFormat(send, prefix));
    for (const warning of redisWarnings(await readRedisSettings(send))) ignoreErrors(() => onWarning(warning));
  });

  const ask = async (method: Method, key: string, ...args: readonly (string | number)[]): Promise<Change> => {
    const answer = ready().then(() => run([prefix + key], [method, ...args]));
    // Only the script makes these answers.
    const [word, ...found] = (await answeredWithin(answer, { server: 'Redis', ms: timeoutMs })) as readonly unknown[];
    if (word === 'format') assertOurs(found[0]);
    if (word !== 'found') return word === 'done' ? word : undefined;
    const [version = '', ageMs, text = ''] = found.map(String);
    return { version, ageMs: Number(ageMs), document: JSON.parse(text) as ClaimDocument };
  };

  return createClaims({
    read: async (key) => {
      const found = await ask('read', key);
      return found === 'done' ? undefined : found;
    },
    write: (key, { version, document, keepMs }, expected) =>
      ask('write', key, ...toArgs(expected), version, Math.max(1, Math.ceil(keepMs)), JSON.stringify(document)),
    remove: (key, expected) => ask('remove', key, ...toArgs(expected)),
  });
};

type Method = 'read' | 'write' | 'remove';

const toArgs = ({ version, youngerThanMs = Number.MAX_SAFE_INTEGER }: Expected = { version: '' }) =>
  [version, youngerThanMs] as const;

/**
 * A document is a text of its format, version and time of writing, by the clock of the server, with its JSON. Format 1 was a
 * hash of the same name, so that neither version gets past what the other wrote.
 */
const script = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local function head(version) return '${claimFormat} ' .. version .. ' ' .. string.format('%.0f', now) .. ' ' end

  local kept = redis.pcall('GET', KEYS[1])
  if type(kept) == 'table' then return {'format', '1'} end
  local version, ageMs, document = '', 0, ''
  if kept then
    local format, writtenAt
    format, version, writtenAt, document = string.match(kept, '^(%d+) (%S+) (%d+) (.*)$')
    if format ~= '${claimFormat}' then return {'format', string.match(kept, '^%d+') or '0'} end
    ageMs = now - writtenAt
    -- The clock was set back: a lease must not last for as long as that.
    if ageMs < 0 then
      ageMs = 0
      redis.call('SET', KEYS[1], head(version) .. document, 'KEEPTTL')
    end
  end

  if ARGV[1] == 'read' or version ~= ARGV[2] or ageMs >= tonumber(ARGV[3]) then
    return kept and {'found', version, tostring(ageMs), document} or {'none'}
  end
  if ARGV[1] == 'remove' then redis.call('DEL', KEYS[1])
  else redis.call('SET', KEYS[1], head(ARGV[4]) .. ARGV[6], 'PX', ARGV[5]) end
  return {'done'}`;

/** Returns the format of the claims under the prefix, after noting this one's where there are none. */
const readFormat = async (send: SendCommand, prefix: string): Promise<unknown> => {
  const key = `${prefix}:format`;
  const noted = await send('GET', key);
  if (typeof noted === 'string') return noted;
  return (await hasFormatOne(send, prefix)) ? 1 : createScript(send, noteFormat)([key], [claimFormat]);
};

const noteFormat = `
  redis.call('SET', KEYS[1], ARGV[1], 'NX')
  return redis.call('GET', KEYS[1])`;

/** Looks at no more than some ten thousand keys: in a larger database each key is refused by itself. */
const hasFormatOne = async (send: SendCommand, prefix: string): Promise<boolean> => {
  const pattern = `${prefix.replaceAll(/[*?[\]\\]/g, '\\$&')}*`;
  let cursor = '0';
  for (let steps = 0; steps < 20; steps += 1) {
    const answer = await send('SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000', 'TYPE', 'hash').catch(ifRefused);
    const [next, keys]: readonly unknown[] = Array.isArray(answer) ? answer : [];
    const [key]: readonly unknown[] = Array.isArray(keys) ? keys : [];
    if (typeof key === 'string' && Number(await send('HEXISTS', key, 'fingerprint')) === 1) return true;
    if (typeof next !== 'string' || next === '0') return false;
    cursor = next;
  }
  return false;
};

/** Settings by which a Redis forgets or remembers. `undefined`: it would not say. */
export interface RedisSettings {
  /** The keys that it throws away when it's full: none with `noeviction`. */
  readonly maxmemoryPolicy: string | undefined;
  /** `true`: it writes to disk. */
  readonly appendOnly: boolean | undefined;
  /** The moment at which that is flushed. */
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

/** Returns what is wrong with a server that has to remember claims. */
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
 * Returns '' for an error that a server answers. It begins with a word such as `NOPERM`, or has ioredis' name in a
 * `StoreError`. Errors of a connection are thrown again.
 */
const ifRefused = (error: unknown): string => {
  const original = error instanceof StoreError ? error.cause : error;
  if (original instanceof Error && /^([A-Z]+\b|ReplyError)/.test(original.message)) return '';
  throw error;
};

/** Drivers give lists, objects or maps. */
const toText = (answer: unknown): string => {
  if (typeof answer === 'string') return answer;
  return JSON.stringify(answer instanceof Map ? [...answer] : (answer ?? ''));
};
