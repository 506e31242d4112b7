import type { Job, Telemetry } from 'bullmq';
import { InvalidArgumentError, StoreError } from '../../core/errors.ts';
import { assertKnown } from '../../core/option-checks.ts';
import type { Consumer, MessageQueueWithAdmin, Page, Selection } from '../ports/message-queue.ts';
import { waitAtMost } from '../../core/timers.ts';
import { answeredWithin } from '../answered-within.ts';
import { checkConsumeOptions, checkedAdmin, checkMessage } from '../check-message.ts';
import { defaultDrainMs, defaultPageLimit, toQueueStats } from '../message-ledger.ts';
import { type BullmqConnection, toDriver } from './connection.ts';
import { startBullmqConsumer } from './consumer.ts';
import { cursorOf, groupOfQueue, type JobData, jobIdOf, toDeadLetter, toJob, toMessage } from './job.ts';
import { type GroupQueue, openServer, type Server } from './server.ts';

/** Options of a queue in BullMQ. */
export interface BullmqOptions {
  /** The place of the queue. No error repeats it, since it may hold a password. */
  readonly connection: BullmqConnection;
  /** Begins the names of all BullMQ queues: another name is another queue. @defaultValue 'voice-agent' */
  readonly name?: string | undefined;
  /** The time after a message was enqueued for which its id is ignored when it comes again, even if it's done. @defaultValue 24 h */
  readonly keepDoneMs?: number | undefined;
  /**
   * The longest wait for an answer. Then a call rejects with `StoreError`; the server may still do what you asked for.
   * @defaultValue 2000
   */
  readonly timeoutMs?: number | undefined;
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
export const bullmq = (options: BullmqOptions): MessageQueueWithAdmin => {
  assertKnown(options, { connection: true, name: true, keepDoneMs: true, timeoutMs: true, telemetry: true });
  const { connection, name = 'voice-agent', keepDoneMs = 86_400_000, timeoutMs = 2_000, telemetry } = options;
  if (!/^[\w-]+$/.test(name)) throw new InvalidArgumentError('name', 'must be made of letters, digits, _ and -');
  const place = { driver: toDriver(connection), name, telemetry };
  const consumers = new Set<Consumer>();
  let opening: Promise<Server> | undefined;
  let closing: Promise<void> | undefined;

  /** Another call tries again when it could not be opened. */
  const open = () =>
    (opening ??= openServer(place).catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));

  const ask = async <T>(work: (server: Server) => Promise<T>, ms = timeoutMs): Promise<T> => {
    if (closing) throw new StoreError('the message queue is closed');
    return answeredWithin(open().then(work), { server: place.driver.engine, ms });
  };

  return {
    enqueue: async (messages) => {
      for (const message of messages) checkMessage(message);
      const jobs = messages.map((message) => [message.group, toJob(message, keepDoneMs)] as const);
      await ask((server) =>
        Promise.all(jobs.map(async ([group, job]) => (await server.registered(group)).add(...job))),
      );
    },
    consume: (options, handle) => {
      if (closing) throw new StoreError('the message queue is closed');
      checkConsumeOptions(options);
      const consumer = startBullmqConsumer(place, options, handle);
      consumers.add(consumer);
      return consumer;
    },
    admin: checkedAdmin({
      get: (id) =>
        ask(async (server) => {
          const found = await server.each(async (queue) => {
            const job = await queue.getJob(jobIdOf(id));
            return job && toMessage(job, await job.getState());
          });
          return found.find((message) => message !== undefined);
        }),
      deadLetters: (page = {}) => ask((server) => readDeadLetters(server, page)),
      redrive: (which) => ask((server) => redrive(server, which), longMs),
      discard: (which) => ask((server) => discard(server, which), longMs),
      pause: (group) => ask(async (server) => (await server.registered(group)).pause()),
      resume: (group) => ask(async (server) => (await server.registered(group)).resume()),
      stats: () => ask(async (server) => toQueueStats(await server.each(readStats))),
    }),
    close: (drainMs = defaultDrainMs) =>
      (closing ??= (async () => {
        await Promise.all([...consumers].map((consumer) => consumer.close(drainMs)));
        if (opening)
          await waitAtMost(
            opening.then((server) => server.close()),
            2_000,
          );
      })()),
  };
};

/** Many dead letters take many commands; each of them ends by the driver's own time-out. */
const longMs = 600_000;

/** BullMQ's failed jobs: group by group, the longest dead first. Their ids alone, since they may be many. */
const failedOf = async (server: Server, group: string | undefined) => {
  const found = await server.each(async (queue) => {
    const jobIds = await queue.getRanges(['failed'], 0, -1, true);
    return jobIds.map((jobId) => ({ queue, jobId }));
  }, group);
  return found.flat();
};

const readDeadLetters = async (server: Server, { group, after = '', limit = defaultPageLimit }: Page) => {
  const failed = await failedOf(server, group);
  const read = async (from: number, to: number) => {
    const jobs = await Promise.all(failed.slice(from, to).map(({ queue, jobId }) => queue.getJob(jobId)));
    return jobs.filter((job) => job !== undefined).map(toDeadLetter);
  };
  const at = failed.findIndex(({ queue, jobId }) => after.startsWith(cursorOf(queue.name, jobId)));
  const [last, ...next] = at < 0 ? [] : await read(at, at + 1 + limit);
  // When the letter of the cursor was redriven or discarded meanwhile, begin again.
  return last?.cursor === after ? next : read(0, limit);
};

/** Changes dead letters one by one. How many: another process may have redriven or discarded one meanwhile. */
const change = async (server: Server, which: Selection, apply: (job: Job<JobData>) => Promise<void>) => {
  const places =
    'ids' in which
      ? (await server.each(async (queue) => which.ids.map((id) => ({ queue, jobId: jobIdOf(id) })))).flat()
      : await failedOf(server, which.group);
  let changed = 0;
  for (const { queue, jobId } of places) {
    const job = await queue.getJob(jobId);
    // Only what has failed has finished: what is done is removed.
    if (job?.finishedOn === undefined || ('since' in which && job.finishedOn < which.since)) continue;
    await apply(job);
    changed += 1;
  }
  return changed;
};

const redrive = (server: Server, which: Selection) =>
  change(server, which, async (job) => {
    await job.updateData({ payload: job.data.payload });
    await job.retry('failed', { resetAttemptsMade: true });
  });

const discard = (server: Server, which: Selection) => change(server, which, (job) => job.remove());

/** The name of a group, and its numbers. */
const readStats = async (queue: GroupQueue) => {
  const [counts, isPaused, next, [dead]] = await Promise.all([
    queue.getJobCounts(),
    queue.isPaused(),
    // As many as it takes to find the oldest one, usually.
    queue.getJobs(['waiting', 'delayed'], 0, 19, true),
    queue.getJobs(['failed'], 0, 0, true),
  ]);
  const ageOf = (since: number | undefined) => (since === undefined ? 0 : Math.max(0, Date.now() - since));
  const stats = {
    // On PostgreSQL BullMQ counts no job of a paused queue as waiting.
    ready: counts.waiting || (isPaused ? (await queue.getRanges(['waiting'], 0, -1)).length : 0),
    delayed: counts.delayed ?? 0,
    leased: counts.active ?? 0,
    dead: counts.failed ?? 0,
    oldestAgeMs: Math.max(0, ...next.map(({ timestamp }) => ageOf(timestamp))),
    oldestDeadAgeMs: ageOf(dead?.finishedOn),
    isPaused,
  };
  return [groupOfQueue(queue.name), stats] as const;
};
