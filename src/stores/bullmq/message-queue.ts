import type { Telemetry } from 'bullmq';
import { InvalidArgumentError, StoreError } from '../../errors.ts';
import { assertKnown, type OptionNames } from '../../option-checks.ts';
import type { Consumer, GroupStats, MessageQueue } from '../../ports/message-queue.ts';
import { answeredWithin } from '../answered-within.ts';
import { checkConsumeOptions, checkMessage } from '../check-message.ts';
import { toQueueStats } from '../message-ledger.ts';
import { type BullmqConnection, toDriver } from './connection.ts';
import { startBullmqConsumer } from './consumer.ts';
import { discard, readDeadLetters, redrive } from './dead-letters.ts';
import { idOfJob, jobIdOf, toJob, toMessage } from './job.ts';
import { type GroupQueue, openServer, type Server } from './server.ts';

/** Where the queue is, and how long it waits for its server. */
export interface BullmqOptions {
  /** Where it is; never repeated in errors, since it may hold a password. */
  readonly connection: BullmqConnection;
  /** Begins the names of all BullMQ queues: another name is another queue. @defaultValue 'voice-agent' */
  readonly name?: string;
  /** For how long after a message was enqueued its id is ignored when it comes again, although it's done. @defaultValue 24 h */
  readonly keepDoneMs?: number;
  /** After this without an answer a call rejects with `StoreError`; the server may still do what you asked for. @defaultValue 2000 */
  readonly timeoutMs?: number;
  /** How often to look for messages whose process has died. @defaultValue 5000 */
  readonly pollMs?: number;
  /** BullMQ's own spans and metrics, such as `new BullMQOtel('voice-agent')` of `bullmq-otel`. @defaultValue none */
  readonly telemetry?: Telemetry | undefined;
}

/**
 * Keeps messages in Redis, Valkey or PostgreSQL, with BullMQ's `Queue` and `Worker`: any number of processes on any number
 * of machines publish and work. Each group is a BullMQ queue of its own, so one that is stuck or paused doesn't slow the
 * others. As safe as the server is set to be. An id is unique within its group.
 * Needs `npm install bullmq` and `ioredis` or `pg`. Throws `InvalidArgumentError` for something that is no connection;
 * calls reject with `StoreError` when the server is down or does not answer in time.
 *
 * @example
 * const outbox = createOutbox({ queue: bullmq({ connection: 'redis://localhost' }), destinations });
 */
export const bullmq = (options: BullmqOptions): MessageQueue => {
  assertKnown(options, optionNames);
  const {
    connection,
    name = 'voice-agent',
    keepDoneMs = 86_400_000,
    timeoutMs = 2_000,
    pollMs = 5_000,
    telemetry,
  } = options;
  if (!/^[\w-]+$/.test(name)) throw new InvalidArgumentError('name', 'must be made of letters, digits, _ and -');
  const driver = toDriver(connection);
  const consumers = new Set<Consumer>();
  const groupsKnownAt = new Map<string, number>();
  let opening: Promise<Server> | undefined;
  let closing: Promise<void> | undefined;

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

  /**
   * A process that did not make a group finds it in one more queue. Repeated once a minute, since a server may forget.
   */
  const registerGroups = async ({ groups, forgetIds }: Server, names: readonly string[]) => {
    const now = performance.now();
    const old = names.filter((group) => now - (groupsKnownAt.get(group) ?? -Infinity) > 60_000);
    if (old.length === 0) return;
    await groups.addBulk(
      old.map((group) => ({ name: 'group', data: { payload: '' }, opts: { jobId: jobIdOf(group) } })),
    );
    for (const group of old) {
      groupsKnownAt.set(group, now);
      forgetIds(group).catch(() => undefined);
    }
  };

  const groupsOf = async ({ groups }: Server) =>
    (await groups.getRanges(['wait'], 0, -1)).map((id) => idOfJob({ id })).toSorted();

  const setPaused = (group: string, change: (queue: GroupQueue) => Promise<void>) =>
    ask(async (server) => {
      await registerGroups(server, [group]);
      await change(server.queue(group));
    });

  return {
    enqueue: async (messages) => {
      for (const message of messages) checkMessage(message);
      const byGroup = Map.groupBy(messages, ({ group }) => group);
      const jobs = [...byGroup].map(
        ([group, some]) => [group, some.map((message) => toJob(message, keepDoneMs))] as const,
      );
      await ask(async (server) => {
        await registerGroups(server, [...byGroup.keys()]);
        await Promise.all(jobs.map(([group, some]) => server.queue(group).addBulk(some)));
      });
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
    deadLetters: ({ group, ...page } = {}) =>
      ask(async (server) => readDeadLetters(server, group === undefined ? await groupsOf(server) : [group], page)),
    redrive: (which) => ask(async (server) => redrive(server, await groupsOf(server), which), longMs),
    discard: (which) => ask(async (server) => discard(server, await groupsOf(server), which), longMs),
    pause: (group) => setPaused(group, (queue) => queue.pause()),
    resume: (group) => setPaused(group, (queue) => queue.resume()),
    stats: () =>
      ask(async (server) => {
        const names = await groupsOf(server);
        const parts = names.map(async (group) => [group, await statsOf(server.queue(group))] as const);
        return toQueueStats(await Promise.all(parts));
      }),
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
    dead: counts.failed ?? 0,
    oldestAgeMs: Math.max(0, ...next.map(({ timestamp }) => ageOf(timestamp))),
    oldestDeadAgeMs: ageOf(dead?.finishedOn),
    isPaused,
  };
};
