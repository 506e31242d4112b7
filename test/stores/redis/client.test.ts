import { expect, test } from 'vitest';
import { commandsOf, createScript, type RedisClient } from '../../../src/stores/redis/client.ts';

test('commands go the way of the driver', async () => {
  const sent: unknown[] = [];
  const ioredis: RedisClient = { call: async (...command) => sent.push(['call', ...command]) };
  const nodeRedis: RedisClient = { sendCommand: async (command) => sent.push(['sendCommand', ...command]) };

  await commandsOf(ioredis)('SET', 'a', '1');
  await commandsOf(nodeRedis)('SET', 'a', '1');

  expect(sent).toEqual([
    ['call', 'SET', 'a', '1'],
    ['sendCommand', 'SET', 'a', '1'],
  ]);
});

test('something else is refused when a store is made of it', () => {
  for (const client of [undefined, null, {}, 'redis://localhost'])
    expect(() => commandsOf(client as unknown as RedisClient)).toThrow(
      'client must be a connection of ioredis or node-redis',
    );
});

test('the text of a script is sent only to a server that does not know it', async () => {
  const sent: string[][] = [];
  const run = createScript(async (...command) => {
    sent.push(command);
    if (command[0] === 'EVALSHA' && sent.length === 1) throw new Error('NOSCRIPT No matching script.');
    return 'done';
  }, 'return 1');

  expect([await run(['k'], [1]), await run(['k'], ['b'])]).toEqual(['done', 'done']);

  const digest = 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db';
  expect(sent).toEqual([
    ['EVALSHA', digest, '1', 'k', '1'],
    ['EVAL', 'return 1', '1', 'k', '1'],
    ['EVALSHA', digest, '1', 'k', 'b'],
  ]);
});

test('what a script fails with is not tried again', async () => {
  const sent: string[] = [];
  const run = createScript(async (command) => {
    sent.push(command);
    throw new Error('OOM command not allowed');
  }, 'return 1');

  await expect(run([], [])).rejects.toThrow('OOM');
  expect(sent).toEqual(['EVALSHA']);
});
