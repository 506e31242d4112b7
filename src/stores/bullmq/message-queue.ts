import type { Telemetry } from 'bullmq';
import { InvalidArgumentError, StoreError } from '../../errors.ts';
import { assertKnown, type OptionNames } from '../../option-checks.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { Consumer, GroupStats, MessageQueue } from '../../ports/message-queue.ts';
import { answeredWithin } from '../answered-within.ts';
import { checkConsumeOptions, checkMessage } from '../check-message.ts';
import { toQueueStats } from '../message-ledger.ts';
import { emitServerWarning, type OnServerWarning } from '../server-warning.ts';
import { type BullmqConnection, toDriver } from './connection.ts';
import { startBullmqConsumer } from './consumer.ts';
import { createDeadLetters } from './dead-letters.ts';
import { idOfJob, jobIdOf, toJob, toMessage } from './job.ts';
import { type GroupQueue, openServer, type QueueSafety, type Server } from './server.ts';

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
  /** BullMQ's own spans and metrics, such as `new BullMQOtel('voice-agent')` of `bullmq-otel`. @defaultValue none */
  readonly telemetry?: Telemetry | undefined;
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
export const bullmq = (options: BullmqOptions): BullmqMessageQueue => {
  assertKnown(options, optionNames);
  const { connection, name = 'voice-agent', keepDoneMs = 86_400_000, timeoutMs = 2_000, pollMs = 5_000 } = options;
  const { telemetry, onWarning = emitServerWarning } = options;
  if (!/^[\w-]+$/.test(name)) throw new InvalidArgumentError('name', 'must be made of letters, digits, _ and -');
  const driver = toDriver(connection);
  const consumers = new Set<Consumer>();
  const groupsKnownAt = new Map<string, number>();
  let opening: Promise<Server> | undefined;
  let closing: Promise<void> | undefined;
  let isChecked = false;

  /** Another call tries again when it could not be opened. */
  const open = () =>
    (opening ??= openServer({ driver, name, workers: 0, telemetry, onError: () => undefined }).catch(
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    ));

  const ask = async <T>(work: (server: Server) => Promise<T>, ms = timeoutMs): Promise<T> => {
    if (closing) throw new StoreError('the message queue is closed');
    return answeredWithin(open().then(work), { server: driver.engine, ms });
  };

  const safety = () => ask((server) => server.safety());

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
    const isOld = (group: string) => now - (groupsKnownAt.get(group) ?? -Infinity) > Math.min(60_000, keepDoneMs);
    const old = names.filter(isOld);
    if (old.length === 0) return;
    await Promise.all(old.map((group) => queue(group).clean(keepDoneMs, 1_000, 'completed')));
    await groups.addBulk(old.map((group) => ({ name: 'group', data: {}, opts: { jobId: jobIdOf(group) } })));
    for (const group of old) groupsKnownAt.set(group, now);
  };

  const groupsOf = async ({ groups }: Server) =>
    (await groups.getRanges(['wait'], 0, -1)).map((id) => idOfJob({ id })).toSorted();

  const deadLetters = createDeadLetters(groupsOf);

  const setPaused = (group: string, change: (queue: GroupQueue) => Promise<void>) =>
    ask(async (server) => {
      await registerGroups(server, [group]);
      await change(server.queue(group));
    });

  return {
    enqueue: async (messages) => {
      for (const message of messages) checkMessage(message);
      const now = Date.now();
      const byGroup = Map.groupBy(messages, ({ group }) => group);
      const jobs = [...byGroup].map(
        ([group, some]) => [group, some.map((message) => toJob(message, now, keepDoneMs))] as const,
      );
      await ask(async (server) => {
        await registerGroups(server, [...byGroup.keys()]);
        await Promise.all(jobs.map(([group, some]) => addAll(server.queue(group), some)));
      });
      if (!isChecked) warn().catch(() => (isChecked = false));
    },
    consume: (options, handle) => {
      if (closing) throw new StoreError('the message queue is closed');
      checkConsumeOptions(options);
      const workers = Object.keys(options.groups).length;
      const openWorkers = (onError: (error: unknown) => void) =>
        openServer({ driver, name, workers, telemetry, onError });
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
        const parts = names.map(async (group) => [group, await statsOf(server.queue(group))] as const);
        return toQueueStats(await Promise.all(parts));
      }),
    safety,
    close: (drainMs) =>
      (closing ??= (async () => {
        await Promise.all([...consumers].map((consumer) => consumer.close(drainMs)));
        await opening?.then((server) => server.close()).catch(() => undefined);
      })()),
  };
};

const optionNames: OptionNames<BullmqOptions> = {
  connection: true,
  name: true,
  keepDoneMs: true,
  timeoutMs: true,
  pollMs: true,
  telemetry: true,
  onWarning: true,
};

/** One alone needs no transaction. */
const addAll = (queue: GroupQueue, jobs: readonly ReturnType<typeof toJob>[]): Promise<unknown> => {
  const [first] = jobs;
  return first && jobs.length === 1 ? queue.add(first.name, first.data, first.opts) : queue.addBulk([...jobs]);
};

/** Many dead letters take many commands; each of them ends by the driver's own time-out. */
const longMs = 600_000;

const statsOf = async (queue: GroupQueue): Promise<GroupStats> => {
  const [counts, isPaused, next, [dead]] = await Promise.all([
    queue.getJobCounts(),
    queue.isPaused(),
    // As many as it takes to find the oldest one, usually.
    queue.getJobs(['waiting', 'delayed'], 0, 19, true),
    queue.getJobs(['failed'], 0, 0, true),
  ]);
  const ageOf = (since: number | undefined) => (since === undefined ? 0 : Math.max(0, Date.now() - since));
  return {
    // On PostgreSQL BullMQ counts no job of a paused queue as waiting.
    ready: counts.waiting || (isPaused ? (await queue.getRanges(['waiting'], 0, -1)).length : 0),
    delayed: counts.delayed ?? 0,
    leased: counts.active ?? 0,
    done: counts.completed ?? 0,
    dead: counts.failed ?? 0,
    oldestAgeMs: Math.max(0, ...next.map(({ timestamp }) => ageOf(timestamp))),
    oldestDeadAgeMs: ageOf(dead?.finishedOn),
    isPaused,
  };
};
