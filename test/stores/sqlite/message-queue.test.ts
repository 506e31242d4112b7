import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { QueuedMessage } from '../../../src/stores/ports/message-queue.ts';
import { createSqliteIdempotencyStore } from '../../../src/stores/sqlite/idempotency-store.ts';
import { createSqliteMessageQueue } from '../../../src/stores/sqlite/message-queue.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { runCommand } from '../../support/run-command.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { eventually, until } from '../../support/until.ts';
import { messageQueueConformance, onVirtualClock } from '../message-queue.conformance.ts';

messageQueueConformance(
  'a file of sqlite',
  onVirtualClock(async () => {
    const folder = await makeScratchFolder();
    onTestFinished(folder.remove);
    return createSqliteMessageQueue({ file: folder.file('queue.db') });
  }),
);

const message = (id: string): QueuedMessage => ({ id, group: 'g', payload: { id } });
const consuming = { groups: { g: 4 }, leaseMs: 10_000, maximumAttempts: 3 };

test('what was stored is there when the file is opened again, also what was leased and what is paused', async () => {
  await using folder = await makeScratchFolder();
  const file = folder.file('queue.db');
  createVirtualClock();
  const first = createSqliteMessageQueue({ file });
  await first.enqueue([message('a'), message('b')]);
  await first.admin.pause('other');
  await first.close(0);

  const second = createSqliteMessageQueue({ file });

  expect(await second.admin.stats()).toMatchObject({ ready: 2, groups: { other: { isPaused: true } } });
  await second.close(0);
});

test('messages enqueued together by many share one transaction, and each is acknowledged', async () => {
  await using folder = await makeScratchFolder();
  const file = folder.file('queue.db');
  const queue = createSqliteMessageQueue({ file });
  await queue.enqueue([message('first')]);
  const before = commitsIn(`${file}-wal`);

  await Promise.all(Array.from({ length: 20 }, (_, index) => queue.enqueue([message(`m${index}`)])));

  expect(commitsIn(`${file}-wal`)).toBe(before + 1);
  expect(await queue.admin.stats()).toMatchObject({ ready: 21 });
  await queue.close(0);
});

/** Each frame of the log says whether a transaction ends with it. https://sqlite.org/fileformat2.html#walformat */
const commitsIn = (logFile: string): number => {
  const log = readFileSync(logFile);
  const frame = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) commits += 1;
  return commits;
};

test('two queues on one file share the work', async () => {
  await using folder = await makeScratchFolder();
  const options = { file: folder.file('queue.db'), pollMs: 5 };
  const queues = [createSqliteMessageQueue(options), createSqliteMessageQueue(options)] as const;
  const seen: string[] = [];
  for (const queue of queues) {
    queue.consume(consuming, async ({ id }) => {
      seen.push(id);
      return { type: 'done' };
    });
  }
  const ids = Array.from({ length: 60 }, (_, index) => `m${index}`);

  await Promise.all(ids.map((id, index) => queues[index % 2 === 0 ? 0 : 1].enqueue([message(id)])));
  await until(() => seen.length >= ids.length);
  await Promise.all(queues.map((queue) => queue.close(5_000)));

  expect(seen.toSorted()).toEqual(ids.toSorted());
});

test('a new file may be opened by several at once', async () => {
  await using folder = await makeScratchFolder();
  const queues = Array.from({ length: 6 }, () => createSqliteMessageQueue({ file: folder.file('new.db') }));

  await Promise.all(queues.map((queue, index) => queue.enqueue([message(`m${index}`)])));

  expect(await queues[0]?.admin.stats()).toMatchObject({ ready: 6 });
  await Promise.all(queues.map((queue) => queue.close(0)));
});

test('a lock that another process holds for too long is an error, and the queue works again afterwards', async () => {
  await using folder = await makeScratchFolder();
  const file = folder.file('queue.db');
  const queue = createSqliteMessageQueue({ file, busyTimeoutMs: 20 });
  await queue.enqueue([message('before')]);
  using other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');

  await expect(queue.enqueue([message('a')])).rejects.toMatchObject({
    code: 'store_failed',
    outcome: 'not_sent',
    message: 'sqlite: database is locked',
  });
  other.exec('ROLLBACK');
  await queue.enqueue([message('b')]);

  expect(await queue.admin.get('a')).toBeUndefined();
  expect(await queue.admin.get('b')).toMatchObject({ state: 'waiting' });
  await queue.close(0);
});

test('a file that cannot be opened is an error at the first call', async () => {
  await using folder = await makeScratchFolder();
  const file = folder.file('not-there/queue.db');
  const queue = createSqliteMessageQueue({ file });

  await expect(queue.enqueue([message('a')])).rejects.toThrow(
    `sqlite: unable to open database file ${file}: its folder must be there, and this process be allowed to write in it`,
  );
  await queue.close(0);
});

test('only the owner may read the files of a queue', async () => {
  await using folder = await makeScratchFolder();
  const queue = createSqliteMessageQueue({ file: folder.file('queue.db') });
  await queue.enqueue([message('a')]);

  const modes = readdirSync(folder.path).map((name) => [name, (statSync(folder.file(name)).mode & 0o777).toString(8)]);

  expect(Object.fromEntries(modes)).toEqual({ 'queue.db': '600', 'queue.db-shm': '600', 'queue.db-wal': '600' });
  await queue.close(0);
});

test.each([
  ['deleted', (file: string) => rmSync(file)],
  ['moved away', (file: string) => renameSync(file, `${file}.old`)],
])('a file that is %s under a running process acknowledges nothing more', async (_what, remove) => {
  await using folder = await makeScratchFolder();
  const file = folder.file('queue.db');
  const queue = createSqliteMessageQueue({ file });
  await queue.enqueue([message('before')]);

  remove(file);

  for (const id of ['a', 'b']) {
    await expect(queue.enqueue([message(id)])).rejects.toMatchObject({
      code: 'store_failed',
      outcome: 'not_sent',
      message: `sqlite: ${file} was deleted or replaced while it was open; restart this process to go on with a new file`,
    });
  }
  await queue.close(0);
});

test('a dead letter that cannot be read hides no other', async () => {
  await using folder = await makeScratchFolder();
  const file = folder.file('queue.db');
  const queue = createSqliteMessageQueue({ file });
  const consumer = queue.consume(consuming, async () => ({ type: 'dead', reason: 'no', note: { status: 404 } }));
  await queue.enqueue(['a', 'b', 'c'].map(message));
  await eventually(async () => (await queue.admin.stats()).dead === 3);
  await consumer.close(0);
  using other = new DatabaseSync(file);
  other.exec("UPDATE messages SET payload = '{broken' WHERE id = 'a'");
  other.exec("UPDATE messages SET note = '{broken' WHERE id = 'b'");

  const letters = await queue.admin.deadLetters();

  expect(Object.fromEntries(letters.map(({ id, payload, note }) => [id, [payload, note]]))).toEqual({
    a: [null, { status: 404 }],
    b: [{ id: 'b' }, null],
    c: [{ id: 'c' }, { status: 404 }],
  });
  expect(await queue.admin.get('a')).toMatchObject({ state: 'dead', payload: null });
  await queue.close(0);
});

test('a file of a newer version is refused rather than misread', async () => {
  await using folder = await makeScratchFolder();
  const file = folder.file('queue.db');
  const queue = createSqliteMessageQueue({ file });
  await queue.enqueue([message('a')]);
  await queue.close(0);
  using other = new DatabaseSync(file);
  other.exec('UPDATE voice_agent_schema SET version = 99');

  const again = createSqliteMessageQueue({ file });

  await expect(again.admin.stats()).rejects.toThrow('has messages of format 99, from a newer version of this package');
  await again.close(0);
});

test('a queue and an idempotency store may share a file', async () => {
  await using folder = await makeScratchFolder();
  const file = folder.file('both.db');
  const queue = createSqliteMessageQueue({ file });
  await using store = createSqliteIdempotencyStore({ file });

  const [claim] = await Promise.all([
    store.claim('k', { fingerprint: 'f', leaseMs: 1_000, retainMs: 1_000 }),
    queue.enqueue([message('a')]),
  ]);

  expect(claim).toMatchObject({ state: 'new' });
  expect(await queue.admin.get('a')).toMatchObject({ state: 'waiting' });
  await queue.close(0);
});

test('a file is needed', () => {
  expect(() => createSqliteMessageQueue({ file: '' })).toThrow('file must be the path of a file');
});

test('on a Node without node:sqlite it says what is needed', async () => {
  const source = new URL('../../../src/stores/sqlite/message-queue.ts', import.meta.url).href;
  const script = `
    import { createSqliteMessageQueue } from '${source}';
    try {
      createSqliteMessageQueue({ file: 'queue.db' });
    } catch ({ code, message }) {
      console.log(JSON.stringify([code, message]));
    }`;

  const printed = await runCommand(
    process.execPath,
    ['--no-experimental-sqlite', '--input-type=module', '--eval', script],
    { cwd: process.cwd() },
  );

  expect(JSON.parse(printed)).toEqual([
    'store_failed',
    `this Node (${process.version}) has no node:sqlite; it is part of Node from 22.13 on, without --no-experimental-sqlite`,
  ]);
});
