import { test } from 'vitest';
import { createSqliteMessageQueue } from '../../../src/stores/sqlite/message-queue.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { expectPoisonToDieAlone } from '../poison/poison.ts';

test('a message that kills its process takes no other with it to the dead letters', async () => {
  await using folder = await makeScratchFolder();
  const file = folder.file('queue.db');
  const queue = createSqliteMessageQueue({ file });

  await expectPoisonToDieAlone(file, queue);

  await queue.close(0);
});
