import { expect, test } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import { readRedisSettings, redisWarnings } from '../../../src/stores/redis/idempotency-store.ts';

const safe = { maxmemoryPolicy: 'noeviction', appendOnly: true, appendFsync: 'always' } as const;

test.each([
  ['all that is safe', safe, []],
  ['flushed by the system', { ...safe, appendFsync: 'no' } as const, ['redis_flushes_late']],
  ['nothing on disk', { ...safe, appendOnly: false }, ['redis_not_on_disk']],
  ['eviction', { ...safe, maxmemoryPolicy: 'volatile-lru' }, ['redis_may_evict']],
  [
    'a server that says nothing',
    { ...safe, maxmemoryPolicy: undefined, appendOnly: undefined },
    ['redis_settings_unknown'],
  ],
  ['one that does not say when it flushes', { ...safe, appendFsync: undefined }, []],
])('%s', (_what, settings, codes) => {
  expect(redisWarnings(settings).map(({ code }) => code)).toEqual(codes);
});

test('the settings are read from INFO where CONFIG is refused', async () => {
  const answers: Record<string, string> = {
    memory: '# Memory\r\nused_memory:1\r\nmaxmemory_policy:allkeys-lru\r\n',
    persistence: '# Persistence\r\naof_enabled:1\r\n',
  };
  const settings = await readRedisSettings(async (command, section = '') => {
    if (command === 'CONFIG') throw new Error('NOPERM');
    return answers[section];
  });

  expect(settings).toEqual({ maxmemoryPolicy: 'allkeys-lru', appendOnly: true, appendFsync: undefined });
});

test.each([new StoreError('Redis did not answer within 2000 ms'), new Error('connect ECONNREFUSED 127.0.0.1:6379')])(
  'a server that cannot be reached is not taken for one that does not tell: %s',
  async (error) => {
    const send = async () => {
      throw error;
    };

    await expect(readRedisSettings(send)).rejects.toBe(error);
  },
);

test('a server that refuses everything says nothing', async () => {
  const refusal = new StoreError('Redis could not do what it was asked for', {
    cause: Object.assign(new Error("NOPERM this user has no permissions to run 'info'"), { name: 'ReplyError' }),
  });

  const send = async () => {
    throw refusal;
  };

  expect(await readRedisSettings(send)).toEqual({
    maxmemoryPolicy: undefined,
    appendOnly: undefined,
    appendFsync: undefined,
  });
});

test.each([
  ['as ioredis gives it', ['appendfsync', 'always']],
  ['as node-redis gives it', { appendfsync: 'always' }],
  ['as a map', new Map([['appendfsync', 'always']])],
])('when is flushed is read %s', async (_driver, answer) => {
  const settings = await readRedisSettings(async (command) => (command === 'CONFIG' ? answer : ''));

  expect(settings).toEqual({ maxmemoryPolicy: undefined, appendOnly: undefined, appendFsync: 'always' });
});
