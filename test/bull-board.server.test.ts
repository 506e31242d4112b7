import { expect, test } from 'vitest';
import { describeWithRedis, startRedisServer } from './support/redis-server.ts';
import { runCommand } from './support/run-command.ts';

describeWithRedis('bull-board on the queue of an outbox', () => {
  test('lists its dead letters with their reasons', async () => {
    await using server = await startRedisServer();
    const args = ['--import', './scripts/from-source.js', 'examples/bull-board.ts'];

    const printed = await runCommand(process.execPath, args, {
      cwd: process.cwd(),
      env: { ...process.env, REDIS_URL: server.url },
    });

    expect(printed.trim()).toBe('voice-agent.group.outbox~3Acrm: 1 failed, because: client_error {"status":404}');
  });
});
