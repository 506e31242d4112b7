import { createSqliteIdempotencyStore } from '../../../src/stores/sqlite/idempotency-store.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { idempotencyStoreConformance } from '../idempotency-store.conformance.ts';

idempotencyStoreConformance('a file of sqlite', async () => {
  const clock = createVirtualClock();
  const folder = await makeScratchFolder();
  const store = createSqliteIdempotencyStore({ file: folder.file('claims.db') });
  const close = async () => {
    await store.close();
    await folder.remove();
  };
  return { store, pass: clock.advance, setClockBack: async (ms) => clock.stepWall(-ms), close };
});
