import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MessageQueue, QueueAdmin } from '../../../stores/ports/message-queue.ts';
import type { CommandOption, Given } from '../command.ts';
import { badConfiguration, cannotBeDone, wrongUsage } from '../command-error.ts';
import { configOption, findConfiguration } from '../configuration.ts';
import type { Terminal } from '../terminal.ts';

export const queueOptions: Readonly<Record<'config' | 'sqlite', CommandOption>> = {
  ...configOption,
  sqlite: {
    value: 'FILE',
    help: 'The file of a queue of sqlite(), instead of the queue that the configuration exports',
  },
};

/** Works with the dead letters of the queue that was named, and closes it. */
export const withQueue = async <T>(
  given: Given,
  terminal: Terminal,
  work: (admin: QueueAdmin) => Promise<T>,
): Promise<T> => {
  const queue = await openQueue(given, terminal);
  try {
    if (queue.admin) return await work(queue.admin);
    throw cannotBeDone(
      "the queue has no admin: its dead letters can't be looked at here",
      'use the tools of its engine',
    );
  } finally {
    await queue.close(0);
  }
};

const openQueue = async (given: Given, terminal: Terminal): Promise<MessageQueue> => {
  const file = given.text('sqlite');
  if (file !== undefined) {
    if (given.text('config') !== undefined) throw wrongUsage('--sqlite and --config exclude each other');
    const path = resolve(terminal.cwd, file);
    // Opening it would make an empty one.
    if (!existsSync(path)) throw badConfiguration(`${file} does not exist`);
    await assertQueue(path, file);
    const { sqlite } = await import('../../../stores/sqlite/index.ts');
    return sqlite({ file: path }).messageQueue();
  }
  const queue = await (await findConfiguration(given, terminal))?.queue();
  if (queue) return queue;
  throw badConfiguration(
    'there is no message queue to look at',
    'export const queue from the configuration module, or name a file with --sqlite',
  );
};

/** Opening another file would make a queue of it. */
const assertQueue = async (path: string, file: string): Promise<void> => {
  const hint = 'name the file of sqlite()';
  const { formatIn } = await import('../../../stores/sqlite/database.ts');
  try {
    if (formatIn(path, 'messages') !== undefined) return;
  } catch (error) {
    throw badConfiguration(`${file} cannot be read: ${(error as Error).message}`, hint, error);
  }
  throw badConfiguration(`${file} holds no message queue`, hint);
};
