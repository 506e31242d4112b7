import { writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import type { MessageQueueWithAdmin } from '../../../src/stores/ports/message-queue.ts';
import { sqlite } from '../../../src/stores/sqlite/index.ts';
import { makeScratchFolder, type ScratchFolder } from '../../support/scratch-folder.ts';
import { runCli } from '../../support/run-cli.ts';
import { eventually } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const crm = 'outbox:crm';
const body = { callId: 'CA1', summary: 'Ada said so', phone: '+14155550100', amount: 12 };

/** Three dead letters in a file, two of one group. */
const fill = async (file: string): Promise<void> => {
  const queue = sqlite({ file }).messageQueue();
  const payload = { event: 'call.completed', version: 1, idempotencyKey: 'CA1:completed', body: JSON.stringify(body) };
  await queue.enqueue([
    { id: 'one', group: crm, payload },
    { id: 'two', group: crm, payload },
    { id: 'three', group: 'webhooks', payload: { type: 'contact.created', name: 'Ada Park' } },
  ]);
  const options = { groups: { [crm]: 1, webhooks: 1 }, leaseMs: 10_000, maximumAttempts: 3 };
  queue.consume(options, async () => ({ type: 'dead', reason: 'client_error', note: { status: 400, text: 'Ada' } }));
  await eventually(async () => (await queue.admin.stats()).dead === 3);
  await queue.close(1_000);
};

const withQueue = async <T>(file: string, work: (queue: MessageQueueWithAdmin) => Promise<T>): Promise<T> => {
  const queue = sqlite({ file }).messageQueue();
  try {
    return await work(queue);
  } finally {
    await queue.close(0);
  }
};

let folder: ScratchFolder;
beforeEach(async () => {
  folder = await makeScratchFolder();
  await fill(folder.file('outbox.db'));
  return () => folder.remove();
});

const deadLetters = (...words: readonly string[]) =>
  runCli(['dead-letters', ...words, '--sqlite', 'outbox.db'], { cwd: folder.path });

test('the list has a line for each, and JSON for programs', async () => {
  const lines = await deadLetters('list');
  const json = await deadLetters('list', '--json', '--group', crm);

  expect(lines.exitCode).toBe(0);
  expect(lines.printed.split('\n').map((line) => line.split('\t').slice(0, 4))).toEqual(
    expect.arrayContaining([
      ['one', crm, 'client_error', '1 attempts'],
      ['two', crm, 'client_error', '1 attempts'],
      ['three', 'webhooks', 'client_error', '1 attempts'],
    ]),
  );
  const { deadLetters: letters } = JSON.parse(json.printed) as { readonly deadLetters: readonly object[] };
  expect(letters).toEqual(
    ['one', 'two'].map((id) => ({
      id,
      group: crm,
      attempts: 1,
      reason: 'client_error',
      enqueuedAt: expect.stringMatching(/^\d{4}-.+Z$/),
      diedAt: expect.stringMatching(/^\d{4}-.+Z$/),
    })),
  );
});

test('a long list goes on where it ended', async () => {
  const first = JSON.parse((await deadLetters('list', '--json', '--limit', '2')).printed) as {
    readonly deadLetters: readonly { readonly id: string }[];
    readonly after: string;
  };
  const rest = JSON.parse((await deadLetters('list', '--json', '--limit', '2', '--after', first.after)).printed) as {
    readonly deadLetters: readonly { readonly id: string }[];
  };

  const ids = [...first.deadLetters, ...rest.deadLetters].map(({ id }) => id);
  expect(ids.toSorted()).toEqual(['one', 'three', 'two']);
  expect(rest).not.toHaveProperty('after');
});

test('one is shown without what people said', async () => {
  const { exitCode, printed } = await deadLetters('show', 'one');

  expect(exitCode).toBe(0);
  expect(JSON.parse(printed)).toEqual({
    id: 'one',
    group: crm,
    reason: 'client_error',
    attempts: 1,
    enqueuedAt: expect.any(String),
    lastAttempt: { status: 400, text: '[text]' },
    payload: {
      event: 'call.completed',
      version: 1,
      idempotencyKey: '[text]',
      body: { callId: 'CA1', summary: '[text]', phone: '[text]', amount: 12 },
    },
  });
});

test.each(['unknown', 'waiting'])('a message that is %s is no dead letter', async (id) => {
  await withQueue(folder.file('outbox.db'), (queue) => queue.enqueue([{ id: 'waiting', group: crm, payload: null }]));

  expect(await deadLetters('show', id)).toEqual({
    exitCode: 1,
    printed: '',
    noted: `voice-agent-integrations: there is no dead letter ${id} (dead-letters list names them)`,
  });
});

describe('redrive', () => {
  test('hands some back by their ids', async () => {
    expect(await deadLetters('redrive', 'one', 'three')).toEqual({ exitCode: 0, printed: '2 redriven', noted: '' });

    const states = await withQueue(folder.file('outbox.db'), async (queue) =>
      Promise.all(['one', 'two', 'three'].map(async (id) => (await queue.admin.get(id))?.state)),
    );
    expect(states).toEqual(['waiting', 'dead', 'waiting']);
  });

  test('hands all of a group back', async () => {
    expect(await deadLetters('redrive', '--all', '--group', crm, '--json')).toEqual({
      exitCode: 0,
      printed: '{"redriven":2}',
      noted: '',
    });
  });

  test('hands at most ten back a second', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `many-${index}`);
    await withQueue(folder.file('outbox.db'), async (queue) => {
      await queue.enqueue(ids.map((id) => ({ id, group: 'many', payload: null })));
      const options = { groups: { many: 12 }, leaseMs: 10_000, maximumAttempts: 1 };
      queue.consume(options, async () => ({ type: 'dead', reason: 'client_error' }));
      await eventually(async () => (await queue.admin.stats()).groups['many']?.dead === 12);
    });
    const clock = createVirtualClock();

    const redriven = deadLetters('redrive', '--all', '--group', 'many');

    await withQueue(folder.file('outbox.db'), (queue) =>
      eventually(async () => {
        await clock.advance(0);
        return (await queue.admin.stats()).groups['many']?.dead === 2;
      }),
    );
    await clock.advance(1_000);
    expect(await redriven).toMatchObject({ exitCode: 0, printed: '12 redriven' });
  });

  test('ends with 1 when there was none', async () => {
    expect(await deadLetters('redrive', '--since', '2999-01-01T00:00:00Z')).toMatchObject({
      exitCode: 1,
      printed: '0 redriven',
    });
  });
});

test('discard forgets them', async () => {
  expect(await deadLetters('discard', 'two')).toMatchObject({
    exitCode: 0,
    printed: '1 discarded',
  });

  expect(await withQueue(folder.file('outbox.db'), (queue) => queue.admin.get('two'))).toBeUndefined();
});

describe('the queue', () => {
  test('can be the one that the configuration exports', async () => {
    const index = new URL('../../../dist/stores/sqlite/index.js', import.meta.url).href;
    await writeFile(
      folder.file('voice-agent.config.mjs'),
      `import { sqlite } from '${index}';
       export const queue = () => sqlite({ file: ${JSON.stringify(folder.file('outbox.db'))} }).messageQueue();
       export default () => { throw new Error('not needed'); };`,
    );

    const { exitCode, printed } = await runCli(['dead-letters', 'list', '--json'], { cwd: folder.path });

    expect(exitCode).toBe(0);
    expect(printed).toContain('"id":"three"');
  });

  test('may be one of an engine that has tools of its own', async () => {
    const file = 'plain.config.mjs';
    const close = 'close: async () => {}';
    await writeFile(
      folder.file(file),
      `export const queue = { enqueue: async () => {}, consume: () => ({ ${close} }), ${close} };
       export default {};`,
    );

    for (const command of [['list'], ['show', 'a'], ['redrive', '--all'], ['discard', 'a']])
      expect(await runCli(['dead-letters', ...command, '--config', file], { cwd: folder.path })).toMatchObject({
        exitCode: 1,
        noted: expect.stringContaining(
          "the queue has no admin: its dead letters can't be looked at here (use the tools",
        ),
      });
  });

  test('is not made by looking for it', async () => {
    const { exitCode, noted } = await runCli(['dead-letters', 'list', '--sqlite', 'gone.db'], { cwd: folder.path });

    expect({ exitCode, noted }).toEqual({
      exitCode: 3,
      noted: 'voice-agent-integrations: gone.db does not exist',
    });
  });

  test('is not made of a database of another program', async () => {
    const file = folder.file('orders.db');
    const tables = () => {
      using database = new DatabaseSync(file);
      return database.prepare('SELECT name FROM sqlite_master').all();
    };
    new DatabaseSync(file).exec('CREATE TABLE orders (id TEXT)');

    const { exitCode, noted } = await runCli(['dead-letters', 'list', '--sqlite', 'orders.db'], { cwd: folder.path });

    expect({ exitCode, noted }).toEqual({
      exitCode: 3,
      noted: 'voice-agent-integrations: orders.db holds no message queue (name the file of sqlite())',
    });
    expect(tables().map(({ name }) => name)).toEqual(['orders']);
  });

  test('is looked for in databases only', async () => {
    await writeFile(folder.file('notes.txt'), 'Call Ada back, she asked twice.');

    const { exitCode, noted } = await runCli(['dead-letters', 'list', '--sqlite', 'notes.txt'], { cwd: folder.path });

    expect({ exitCode, noted }).toEqual({
      exitCode: 3,
      noted: 'voice-agent-integrations: notes.txt cannot be read: file is not a database (name the file of sqlite())',
    });
  });

  test('has to be named somewhere', async () => {
    expect(await runCli(['dead-letters', 'list'], { cwd: '/' })).toMatchObject({
      exitCode: 3,
      noted: expect.stringContaining('there is no message queue to look at (export const queue'),
    });
  });
});
