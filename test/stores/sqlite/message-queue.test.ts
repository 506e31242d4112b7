import { createSqliteMessageQueue } from '../../../src/stores/sqlite/message-queue.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { messageQueueConformance } from '../message-queue.conformance.ts';

messageQueueConformance('a file of sqlite', async () => {
  const clock = createVirtualClock();
  const folder = await makeScratchFolder();
  return { queue: createSqliteMessageQueue({ file: folder.file('queue.db'), clock }), clock, remove: folder.remove };
});
