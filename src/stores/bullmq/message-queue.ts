import type { Telemetry } from 'bullmq';
import { InvalidArgumentError, StoreError } from '../../core/errors.ts';
import { assertKnown } from '../../core/option-checks.ts';
import type { Consumer, MessageQueue } from '../ports/message-queue.ts';
import { waitAtMost } from '../../core/timers.ts';
import { answeredWithin } from '../answered-within.ts';
import { checkConsumeOptions, checkMessage, checkPage, checkSelection } from '../check-message.ts';
import { defaultDrainMs, toQueueStats } from '../message-ledger.ts';
import { type BullmqConnection, toDriver } from './connection.ts';
import { startConsumer } from './consumer.ts';
import { discard, readDeadLetters, redrive } from './dead-letters.ts';
import { jobIdOf, toJob, toMessage } from './job.ts';
import { openServer, type Server } from './server.ts';
import { readStats } from './stats.ts';

/** Where the queue is, and how long it waits for its server. */
export interface BullmqOptions {
  /** Where it is; never repeated in errors, since it may hold a password. */
  readonly connection: BullmqConnection;
  /** Begins the names of all BullMQ queues: another name is another queue. @defaultValue 'voice-agent' */
  readonly name?: string | undefined;
  /** For how long after a message was enqueued its id is ignored when it comes again, although it's done. @defaultValue 24 h */
  readonly keepDoneMs?: number | undefined;
  /** After this without an answer a call rejects with `StoreError`; the server may still do what you asked for. @defaultValue 2000 */
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
export const bullmq = (options: BullmqOptions): MessageQueue => {
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
      const consumer = startConsumer(place, options, handle);
      consumers.add(consumer);
      return consumer;
    },
    get: (id) =>
      ask(async (server) => {
        const found = await server.each(async (queue) => {
          const job = await queue.getJob(jobIdOf(id));
          return job && toMessage(job, await job.getState());
        });
        return found.find((message) => message !== undefined);
      }),
    deadLetters: async (page = {}) => {
      checkPage(page);
      return ask((server) => readDeadLetters(server, page));
    },
    redrive: async (which) => {
      checkSelection(which);
      return ask((server) => redrive(server, which), longMs);
    },
    discard: async (which) => {
      checkSelection(which);
      return ask((server) => discard(server, which), longMs);
    },
    pause: (group) => ask(async (server) => (await server.registered(group)).pause()),
    resume: (group) => ask(async (server) => (await server.registered(group)).resume()),
    stats: () => ask(async (server) => toQueueStats(await server.each(readStats))),
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
