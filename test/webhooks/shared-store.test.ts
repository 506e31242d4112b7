import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSqliteIdempotencyStore } from '../../src/stores/sqlite/idempotency-store.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { delivery, makeReceiver, seen } from './receiver-parts.ts';

it('two receivers that share a file handle an event once, also when one of them is started again', async () => {
  await using folder = await makeScratchFolder();
  createVirtualClock();
  const file = join(folder.path, 'webhooks.db');
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  {
    await using firstStore = createSqliteIdempotencyStore({ file });
    await using secondStore = createSqliteIdempotencyStore({ file });
    const first = makeReceiver({
      store: firstStore,
      handler: async () => {
        started.resolve();
        await ended.promise;
        return { receipt: 'r_1' };
      },
    });
    const second = makeReceiver({ store: secondStore });
    const underWay = first.receive(delivery());
    await started.promise;

    const early = await second.receive(delivery());
    expect([early.headers.get('retry-after'), await seen(early)]).toEqual([
      '60',
      { status: 409, body: { error: 'in_progress' } },
    ]);
    ended.resolve();
    expect(await seen(await underWay)).toEqual({ status: 200, body: { receipt: 'r_1' } });
    expect(await seen(await second.receive(delivery()))).toEqual({ status: 200, body: { receipt: 'r_1' } });
    expect(second.handled).toEqual([]);
  }
  await using store = createSqliteIdempotencyStore({ file });
  const restarted = makeReceiver({ store });

  expect(await seen(await restarted.receive(delivery()))).toEqual({ status: 200, body: { receipt: 'r_1' } });
  expect(restarted.handled).toEqual([]);
});
