import { type Clock, systemClock } from '../../clock.ts';
import { quietly } from '../../observability/quietly.ts';
import type { MessageQueue } from '../../ports/message-queue.ts';
import { createLedgerQueue } from '../ledger-queue.ts';
import type { MessageLedger, Remote } from '../message-ledger.ts';
import { emitServerWarning, type OnServerWarning } from '../server-warning.ts';
import { createAnswered } from './answered.ts';
import { createBackends } from './backends.ts';
import { createBell } from './bell.ts';
import { type BullmqConnection, toDriver } from './connection.ts';
import { createDeadLetters } from './dead-letters.ts';
import { createForgetting } from './forgetting.ts';
import { createGroups } from './groups.ts';
import { toJob } from './job.ts';
import { createLeases } from './leases.ts';
import { assertName, jobIdOf, queueOf } from './names.ts';
import { createOverview } from './overview.ts';
import { checkSafety, type QueueSafety } from './safety.ts';

/** Where the queue lies, and how long it waits for its server. */
export interface BullmqOptions {
  /** Where it lies; never echoed in errors, since it may hold a password. */
  readonly connection: BullmqConnection;
  /** Stands before the names of all BullMQ queues: what goes by another name is another queue. @defaultValue 'voice-agent' */
  readonly name?: string;
  /** How long the id of a message that is done or discarded is kept, and ignored when it comes again. @defaultValue 24 h */
  readonly keepDoneMs?: number;
  /** After this without an answer a call rejects with `StoreError`; the server may still do what it was asked for. @defaultValue 2000 */
  readonly timeoutMs?: number;
  /** How often is looked for leases that have ended. @defaultValue 1000 */
  readonly pollMs?: number;
  /**
   * Hears, once, what the settings of the server put at risk.
   * @defaultValue a warning of the Node process
   */
  readonly onWarning?: OnServerWarning;
  /** For tests. BullMQ itself goes by `Date.now()`. */
  readonly clock?: Clock;
}

/** A message queue that many machines share. */
export interface BullmqMessageQueue extends MessageQueue {
  /** Asks the server how safe it keeps messages. */
  safety(): Promise<QueueSafety>;
}

/**
 * Keeps messages in Redis, Valkey or PostgreSQL, through BullMQ: any number of processes on any number of machines
 * publish and work. Each group is a BullMQ queue of its own, so that one that is stuck or paused does not slow the others.
 * As safe as the server is set to be: see {@link BullmqMessageQueue.safety}. Ids are told apart within a group.
 * Needs `npm install bullmq` and `ioredis` or `pg`. Throws `InvalidArgumentError` for something that is no connection;
 * calls reject with `StoreError` when the server is away or does not answer in time.
 *
 * @example
 * const outbox = createOutbox({ queue: bullmq({ connection: 'redis://localhost' }), destinations });
 */
export const bullmq = ({
  connection,
  name = 'voice-agent',
  keepDoneMs = 86_400_000,
  timeoutMs = 2_000,
  pollMs = 1_000,
  onWarning = emitServerWarning,
  clock = systemClock,
}: BullmqOptions): BullmqMessageQueue => {
  assertName(name);
  const driver = toDriver(connection);
  const answered = createAnswered(driver.engine === 'redis' ? 'Redis' : 'PostgreSQL', timeoutMs);
  const backends = createBackends({ driver, name, stalledIntervalMs: pollMs });
  const groups = createGroups({ backends, name, answered, clock });
  const forget = createForgetting({ backends, answered, keepDoneMs });
  let wake = () => {};
  const ring = () => wake();
  const bell = createBell({ backends, ring, clock: systemClock });
  const leases = createLeases({ backends, bell, ring, answered, keepDoneMs, stalledIntervalMs: pollMs, clock });
  let isChecked = false;

  const safety = () => checkSafety(driver, backends, answered);

  const warn = async () => {
    isChecked = true;
    const { warnings } = await safety();
    for (const warning of warnings) quietly(() => onWarning(warning));
  };

  const lookAgain = () => {
    isChecked = false;
  };

  const enqueue: Remote<MessageLedger>['enqueue'] = async ({ messages, now }) => {
    const names = [...new Set(messages.map(({ group }) => group))];
    await Promise.all(names.map((group) => forget(group, now)));
    await answered(
      backends.add([
        ...groups.entriesFor(names),
        ...messages.map((message) => ({
          queue: queueOf(name, message.group),
          jobId: jobIdOf(message.id),
          job: toJob(message, now),
        })),
      ]),
    );
    groups.added(names);
    if (!isChecked) void warn().catch(lookAgain);
  };

  const queue = createLedgerQueue({
    ledger: {
      ...leases.ledger,
      ...createOverview({ backends, groups, answered, keepDoneMs }),
      ...createDeadLetters({ backends, groups, answered }),
      enqueue,
    },
    keepDoneMs,
    pollMs,
    clock,
    listen: (wakeConsumers) => {
      wake = wakeConsumers;
    },
    release: async () => {
      bell.close();
      await leases.rest();
      await backends.close();
    },
  });
  return { ...queue, safety };
};
