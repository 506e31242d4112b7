import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { bullmq } from 'voice-agent-integrations/stores/bullmq';
import type { MessageQueue } from 'voice-agent-integrations/outbox';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';
import { startPostgresServer } from '../test/support/postgres-server.ts';
import { startRedisServer } from '../test/support/redis-server.ts';
import type { TestServer } from '../test/support/server-process.ts';
import { openLeaseTable } from './lease-table.ts';
import {
  drain,
  enqueue,
  inFlight,
  messagesPerSecond,
  payload,
  perSecond,
  publishAll,
  type Rate,
} from './queue-load.ts';
import { heading, spread, table } from './report.ts';
import type { Extent } from './run.ts';
import { spreadOf } from './spread.ts';

/**
 * Each queue next to what it is made of, in turns, on servers that are started for it: publishing messages of 1 KB one
 * by one, and working them off. On a server a handler takes {@link handlerMs}, as a delivery does. An engine whose server is not installed is left out by name.
 */
export const queues = async (extent: Pick<Extent, 'rounds'>, command: string): Promise<string> => {
  // A server takes seconds for a round: the ratio is steady after a few.
  const rounds = Math.min(extent.rounds, 3);
  const rows = [...(await besideBareSqlite(rounds)), ...(await onServers(rounds))];
  return [
    heading(command),
    `Messages of 1 KB, ${inFlight} in flight and ${inFlight} handled at once. Redis with \`appendfsync always\`; all acknowledge after their flush. Handlers on Redis and PostgreSQL take ${handlerMs} ms, on node:sqlite no time.`,
    '',
    table(['', 'published per second', 'ratio', 'worked off per second', 'ratio', 'both, ratio'], rows),
    '',
  ].join('\n');
};

/** A quick delivery. */
const handlerMs = 20;

type Row = readonly (string | number)[];

/** One round of one queue; `round` is part of its names. */
type Subject = (round: string) => Promise<Rate>;

const compare = async (name: string, bare: Subject, ours: Subject, rounds: number): Promise<Row[]> => {
  const rates: { readonly bare: Rate; readonly ours: Rate }[] = [];
  // The first round warms up, and who begins changes.
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % 2 === 0 ? await bare(`bare-${round}`) : await ours(`ours-${round}`);
    const second = round % 2 === 0 ? await ours(`ours-${round}`) : await bare(`bare-${round}`);
    if (round > 0) rates.push(round % 2 === 0 ? { bare: first, ours: second } : { bare: second, ours: first });
  }
  const row = (what: string, of: 'bare' | 'ours'): Row => {
    const figures = (['publishedPerSecond', 'drainedPerSecond'] as const).flatMap((rate) => [
      spread(spreadOf(rates.map((each) => each[of][rate])), 0),
      spread(spreadOf(rates.map((each) => each[of][rate] / each.bare[rate])), 2),
    ]);
    const both = rates.map((each) => messagesPerSecond(each[of]) / messagesPerSecond(each.bare));
    return [what, ...figures, spread(spreadOf(both), 2)];
  };
  return [row(`bare ${name}`, 'bare'), row(`the queue on ${name}`, 'ours')];
};

const rateOf = async (
  messages: number,
  publish: (id: string) => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<Rate> => ({
  publishedPerSecond: await perSecond(messages, () => publishAll(messages, async (id) => void (await publish(id)))),
  drainedPerSecond: await perSecond(messages, work),
});

const ofQueue = async (queue: MessageQueue, messages: number, handlerMs = 0): Promise<Rate> => {
  await publishAll(inFlight, (id) => enqueue(queue, `warm-${id}`));
  await drain(queue, inFlight);
  const rate = await rateOf(
    messages,
    (id) => enqueue(queue, id),
    () => drain(queue, messages, handlerMs),
  );
  await queue.close(0);
  return rate;
};

const besideBareSqlite = async (rounds: number): Promise<Row[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-queues-'));
  const messages = 3_000;
  try {
    return await compare(
      'node:sqlite',
      async (round) => {
        using leases = openLeaseTable(join(folder, `${round}.db`), { isGrouped: true });
        return await rateOf(
          messages,
          (id) => leases.publish(id, JSON.stringify(payload)),
          async () => leases.drain(inFlight),
        );
      },
      async (round) => ofQueue(sqlite({ file: join(folder, `${round}.db`) }).messageQueue(), messages),
      rounds,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const engines = [
  { name: 'BullMQ on Redis', start: () => startRedisServer({ appendOnly: 'always' }), messages: 3_000 },
  { name: 'BullMQ on PostgreSQL', start: () => startPostgresServer(), messages: 3_000 },
];

const onServers = async (rounds: number): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const { name, start, messages } of engines) {
    const server = await start().catch((error: unknown) => String(error));
    if (typeof server === 'string') {
      rows.push([`${name}: skipped, ${server}`, '', '', '', '', '']);
      continue;
    }
    const open = (round: string) => bullmq({ connection: server.url, name: round, timeoutMs: 60_000 });
    rows.push(
      ...(await compare(
        name,
        (round) => bareBullmq(server, round, messages),
        (round) => ofQueue(open(round), messages, handlerMs),
        rounds,
      )),
    );
    await server[Symbol.asyncDispose]();
  }
  return rows;
};

/** As its own documentation has it: a queue, and a worker with a processor. */
const bareBullmq = async (server: TestServer, name: string, messages: number): Promise<Rate> => {
  const kept = { removeOnComplete: { age: 86_400 } };
  const { queue, worker } = server.url.startsWith('redis')
    ? onRedis(server, name, kept)
    : onPostgres(server, name, kept);
  await queue.waitUntilReady();
  let handled = 0;
  const done = Promise.withResolvers<void>();
  const rate = await rateOf(
    messages,
    (id) => queue.add('message', payload, { jobId: `m-${id}` }),
    async () => {
      const running = worker(async () => {
        await sleep(handlerMs);
        handled += 1;
        if (handled === messages) done.resolve();
      });
      await done.promise;
      await running.close();
    },
  );
  await queue.close();
  return rate;
};

type Handler = () => Promise<void>;

const onRedis = ({ port }: TestServer, name: string, kept: object) => {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  return {
    queue: new Queue(name, { connection }),
    worker: (handle: Handler) => new Worker(name, handle, { connection, concurrency: inFlight, ...kept }),
  };
};

const onPostgres = ({ url }: TestServer, name: string, kept: object) => {
  const connection = { connectionString: url, migrate: true, max: 10 };
  return {
    queue: new Queue(name, { connection }, createPostgresBackend),
    worker: (handle: Handler) =>
      new Worker(name, handle, { connection, concurrency: inFlight, ...kept }, createPostgresBackend),
  };
};
