import { expect, test } from 'vitest';
import { answeredWithin } from '../../src/stores/answered-within.ts';

test.each<[unknown, string]>([
  [new Error('WRONGPASS invalid username-password pair or user is disabled.'), ' (WRONGPASS)'],
  [new Error('NOAUTH Authentication required.'), ' (NOAUTH)'],
  [new Error("READONLY You can't write against a read only replica."), ' (READONLY)'],
  [new Error("OOM command not allowed when used memory > 'maxmemory'."), ' (OOM)'],
  [Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:6379'), { code: 'ECONNREFUSED' }), ' (ECONNREFUSED)'],
  [Object.assign(new Error('password authentication failed for user "ada"'), { code: '28P01' }), ' (28P01)'],
  [Object.assign(new Error('x'), { code: 'hunter2 secret' }), ''],
  [new Error('ERR'), ''],
  [new Error('Ada has password hunter2'), ''],
  [undefined, ''],
])('%s is named by its code alone', async (cause, code) => {
  await expect(answeredWithin(Promise.reject(cause), { server: 'Redis', ms: 1000 })).rejects.toMatchObject({
    message: `Redis could not do what it was asked for${code}`,
  });
});
