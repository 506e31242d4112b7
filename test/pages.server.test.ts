import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startRecordingServer } from './support/recording-server.ts';
import { describeWithRedis, startRedisServer } from './support/redis-server.ts';
import { runPage } from './support/run-page.ts';
import { startSandbox } from './support/start-sandbox.ts';
import { until } from './support/until.ts';

describeWithRedis('the recipe for many machines', () => {
  test('does and prints what it says, and its event is delivered', async () => {
    await using redis = await startRedisServer({ appendOnly: 'always' });
    await using sandbox = await startSandbox();
    await using warehouse = await startRecordingServer();
    const recipe = new URL('../docs/recipes/run-on-many-machines.md', import.meta.url);
    const env = { ...sandbox.env, REDIS_URL: redis.url, WAREHOUSE_URL: warehouse.baseUrl };

    const ran = await runPage(await readFile(recipe, 'utf8'), {
      env,
      replace: { '--env-file=.env ': '' },
      beforeTheEnd: () => until(() => warehouse.requests.length > 0),
    });

    expect(ran.length).toBe(2);
    for (const { commands, printed, shown } of ran)
      expect({ commands, printed: shown ?? printed }).toEqual({ commands, printed });
    expect(warehouse.requests[0]?.headers['idempotency-key']).toBe('CA1:answered');
  });
});
