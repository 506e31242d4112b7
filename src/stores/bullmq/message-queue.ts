import { StoreError } from '../../errors.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { Consumer, GroupStats, MessageQueue } from '../../ports/message-queue.ts';
import { answeredWithin } from '../answered-within.ts';
import { checkConsumeOptions, checkMessage } from '../check-message.ts';
import { addCounts, noMessages } from '../message-ledger.ts';
import { emitServerWarning, type OnServerWarning } from '../server-warning.ts';
import { type BullmqConnection, toDriver } from './connection.ts';
import { startBullmqConsumer } from './consumer.ts';
import { createDeadLetters } from './dead-letters.ts';
import { assertName, idOfJob, jobIdOf, toJob, toMessage } from './job.ts';
import { checkSafety, type QueueSafety } from './safety.ts';
import { type GroupQueue, openServer, type Server } from './server.ts';

/** Where the queue is, and how long it waits for its server. */
export interface BullmqOptions {
  /** Where it is; never repeated in errors, since it may hold a password. */
  readonly connection: BullmqConnection;
  /** Begins the names of all BullMQ queues: another name is another queue. @defaultValue 'voice-agent' */
  readonly name?: string;
  /** How long the id of a message that is done is kept, and ignored when it comes again. @defaultValue 24 h */
  readonly keepDoneMs?: number;
  /** After this without an answer a call rejects with `StoreError`; the server may still do what you asked for. @defaultValue 2000 */
  readonly timeoutMs?: number;
  /** How often to look for messages whose process has died. @defaultValue 5000 */
  readonly pollMs?: number;
  /**
   * Gets, once, what the settings of the server put at risk.
   * @defaultValue a warning of the Node process
   */
  readonly onWarning?: OnServerWarning;
}

/** A message queue that many machines share. */
export interface BullmqMessageQueue extends MessageQueue {
  /** Asks the server how safe it keeps messages. */
  safety(): Promise<QueueSafety>;
}

/**
 * Keeps messages in Redis, Valkey or PostgreSQL, with BullMQ's `Queue` and `Worker`: any number of processes on any number
 * of machines publish and work. Each group is a BullMQ queue of its own, so one that is stuck or paused doesn't slow the
 * others. As safe as the server is set to be: see {@link BullmqMessageQueue.safety}. An id is unique within its group.
 * Needs `npm install bullmq` and `ioredis` or `pg`. Throws `InvalidArgumentError` for something that is no connection;
 * calls reject with `StoreError` when the server is down or does not answer in time.
 *
 * @example
 * const outbox = createOutbox({ queue: bullmq({ connection: 'redis://localhost' }), destinations });
 */
export const bullmq = ({
  connection,
  name = 'voice-agent',
  keepDoneMs = 86_400_000,
  timeoutMs = 2_000,
  pollMs = 5_000,
  onWarning = emitServerWarning,
}: BullmqOptions): BullmqMessageQueue => {
  assertName(name);
  const driver = toDriver(connection);
  const serverName = driver.engine === 'redis' ? 'Redis' : 'PostgreSQL';
  const consumers = new Set<Consumer>();
  const groupsKnownAt = new Map<string, number>();
  let opening: Promise<Server> | undefined;
  let closing: Promise<void> | undefined;
  let isChecked = false;
  const againMs = Math.min(60_000, keepDoneMs);

  /** Another call tries again when it could not be opened. */
  const open = () =>
    (opening ??= openServer({ driver, name, workers: 0, onError: () => undefined }).catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));

  const ask = async <T>(work: (server: Server) => Promise<T>, ms = timeoutMs): Promise<T> => {
    if (closing) throw new StoreError('the message queue is closed');
    return answeredWithin(open().then(work), { server: serverName, ms });
  };

  const safety = () => ask((server) => checkSafety(driver, server));

  const warn = async () => {
    isChecked = true;
    for (const warning of (await safety()).warnings) ignoreErrors(() => onWarning(warning));
  };

  /**
   * A process that did not make a group finds it in one more queue. Repeated now and then: a server may forget, and BullMQ
   * itself forgets old ids only when another message of their group is done.
   */
  const registerGroups = async ({ groups, queue }: Server, names: readonly string[]) => {
    const now = performance.now();
    const unknown = names.filter((group) => now - (groupsKnownAt.get(group) ?? Number.NEGATIVE_INFINITY) > againMs);
    if (unknown.length === 0) return;
    await Promise.all(unknown.map((group) => queue(group).clean(keepDoneMs, 1_000, 'completed')));
    await groups.addBulk(unknown.map((group) => ({ name: 'group', data: {}, opts: { jobId: jobIdOf(group) } })));
    for (const group of unknown) groupsKnownAt.set(group, now);
  };

  const groupsOf = async ({ groups }: Server) => (await groups.getRanges(['wait'], 0, -1)).map(idOfJob).toSorted();

  const deadLetters = createDeadLetters(groupsOf);

  const setPaused = (group: string, change: (queue: GroupQueue) => Promise<void>) =>
    ask(async (server) => {
      await registerGroups(server, [group]);
      await change(server.queue(group));
    });

  return {
    enqueue: async (messages) => {
      for (const message of messages) checkMessage(message);
      const byGroup = Map.groupBy(messages, ({ group }) => group);
      const now = Date.now();
      const jobs = [...byGroup].map(
        ([group, some]) => [group, some.map((message) => toJob(message, now, keepDoneMs))] as const,
      );
      await ask(async (server) => {
        await registerGroups(server, [...byGroup.keys()]);
        await Promise.all(jobs.map(([group, some]) => server.queue(group).addBulk(some)));
      });
      if (!isChecked) warn().catch(() => (isChecked = false));
    },
    consume: (options, handle) => {
      if (closing) throw new StoreError('the message queue is closed');
      checkConsumeOptions(options);
      const workers = Object.keys(options.groups).length;
      const openWorkers = (onError: (error: unknown) => void) => openServer({ driver, name, workers, onError });
      const consumer = startBullmqConsumer({ open: openWorkers, pollMs, timeoutMs }, options, handle);
      consumers.add(consumer);
      return consumer;
    },
    get: (id) =>
      ask(async (server) => {
        const found = (await groupsOf(server)).map(async (group) => {
          const job = await server.queue(group).getJob(jobIdOf(id));
          return job && toMessage(job, group, await job.getState());
        });
        return (await Promise.all(found)).find((message) => message !== undefined);
      }),
    deadLetters: (page = {}) => ask((server) => deadLetters.page(server, page)),
    redrive: (which) => ask((server) => deadLetters.redrive(server, which), longMs),
    discard: (which, reason) => ask((server) => deadLetters.discard(server, which, reason), longMs),
    pause: (group) => setPaused(group, (queue) => queue.pause()),
    resume: (group) => setPaused(group, (queue) => queue.resume()),
    stats: () =>
      ask(async (server) => {
        const names = await groupsOf(server);
        const each = await Promise.all(names.map((group) => statsOf(server.queue(group))));
        const groups = Object.fromEntries(
          names.flatMap((group, index): [string, GroupStats][] => {
            const stats = each[index];
            return stats && holdsSomething(stats) ? [[group, stats]] : [];
          }),
        );
        return { ...Object.values(groups).reduce(addCounts, noMessages), groups };
      }),
    safety,
    close: (drainMs) => {
      closing ??= (async () => {
        await Promise.all([...consumers].map((consumer) => consumer.close(drainMs)));
        await opening?.then((server) => server.close()).catch(() => undefined);
      })();
      return closing;
    },
  };
};

/** Many dead letters take many commands; each of them ends by the driver's own time-out. */
const longMs = 600_000;

/** On PostgreSQL BullMQ counts no job of a paused queue as waiting, so those are listed. */
const statsOf = async (queue: GroupQueue): Promise<GroupStats> => {
  const [counts, isPaused, waiting, delayed, dead] = await Promise.all([
    queue.getJobCounts(),
    queue.isPaused(),
    queue.getJobs(['waiting'], 0, lookedAt - 1, true),
    queue.getJobs(['delayed'], 0, lookedAt - 1, true),
    queue.getJobs(['failed'], 0, 0, true),
  ]);
  const now = Date.now();
  const ageOf = (since: number | undefined) => Math.max(0, now - (since ?? now));
  return {
    ready: counts.waiting || (isPaused ? (await queue.getRanges(['waiting'])).length : 0),
    delayed: counts.delayed ?? 0,
    leased: counts.active ?? 0,
    done: counts.completed ?? 0,
    dead: counts.failed ?? 0,
    oldestAgeMs: Math.max(0, ...[...waiting, ...delayed].map((job) => ageOf(job.timestamp))),
    oldestDeadAgeMs: ageOf(dead[0]?.finishedOn),
    isPaused,
  };
};

/** How many of the next messages are read to find the oldest one. */
const lookedAt = 20;

const holdsSomething = ({ ready, delayed, leased, done, dead, isPaused }: GroupStats): boolean =>
  isPaused || ready + delayed + leased + done + dead > 0;
