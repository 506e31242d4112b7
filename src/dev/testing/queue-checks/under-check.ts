import { AssertionError, ok } from 'node:assert/strict';
import { inspect } from 'node:util';
import type {
  Consumer,
  ConsumeOptions,
  Handled,
  Lease,
  MessageQueue,
  QueueAdmin,
  QueuedMessage,
} from '../../../stores/ports/message-queue.ts';
import { adminOf } from '../../../stores/ports/message-queue.ts';
import { nextTurn } from '../../../core/timers.ts';
import { passReally } from '../check.ts';

/** How an engine is reached, and the times that it can be checked with. */
export interface Setting {
  readonly leaseMs: number;
  readonly keepDoneMs: number | undefined;
  readonly timeoutMs: number;
  readonly pass: (ms: number) => Promise<void>;
}

/** A queue that holds nothing yet, and what checks do with it. */
export interface QueueUnderCheck extends Setting {
  readonly queue: MessageQueue;
  readonly admin: () => QueueAdmin;
  /** Its leases don't end within a check, unless `leaseMs` says so. */
  readonly consume: (handle: Handle, options?: Partial<ConsumeOptions>) => Worker;
  /** Waits for what the engine does by itself. Rejects with these words when it doesn't. */
  readonly until: (holds: () => boolean | Promise<boolean>, words: string) => Promise<void>;
  /** Waits for what the engine was asked for. */
  readonly within: (asked: Promise<unknown>, words: string) => Promise<void>;
  /** Lets two leases pass, until a message that was enqueued afterwards was handed out. */
  readonly twoLeasesLater: (worker: Worker) => Promise<void>;
  /** Waits until so many handlers have ended and the engine has written down how. For engines with an admin. */
  readonly settled: (worker: Worker, count: number) => Promise<void>;
}

/** A message with a handler. */
export interface Run extends QueuedMessage, Lease {
  /** When it was handed out. */
  readonly at: number;
  /** Ends it, if its handler hasn't. */
  readonly end: (handled: Handled) => void;
  readonly hasEnded: () => boolean;
}

/** Says how a message ends; `undefined` leaves that to {@link Run.end}. */
export type Handle = (run: Run) => Handled | undefined;

/** A consumer, and what it was handed so far. */
export interface Worker {
  readonly runs: readonly Run[];
  readonly errors: readonly unknown[];
  readonly consumer: Consumer;
}

export const putUnderCheck = (queue: MessageQueue, setting: Setting): QueueUnderCheck => {
  const { leaseMs, timeoutMs, pass } = setting;
  const errors: unknown[] = [];
  const thrown = new Set<unknown>();
  const markers = new Set<string>();

  const until: QueueUnderCheck['until'] = async (holds, words) => {
    const endsAt = elapsedMs() + timeoutMs;
    for (let turn = 0; !(await holds()); turn += 1) {
      if (elapsedMs() > endsAt) {
        const error = errors.find((one) => !thrown.has(one));
        const reported =
          error === undefined
            ? ''
            : `; its consumer reported: ${error instanceof Error ? error.message : inspect(error)}`;
        throw new AssertionError({ message: `${words} (waited for ${timeoutMs} ms${reported})` });
      }
      await (turn < 100 ? nextTurn() : passReally(5));
    }
  };

  const within: QueueUnderCheck['within'] = async (asked, words) => {
    let isOver = false;
    const over = asked.finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    await until(() => isOver, words);
    await over;
  };

  const consume: QueueUnderCheck['consume'] = (handle, options) => {
    const runs: Run[] = [];
    const consumer = queue.consume(
      {
        groups: { [group]: 100 },
        leaseMs: 30 * leaseMs,
        maximumAttempts: 10,
        onError: (error) => void errors.push(error),
        ...options,
      },
      async (message, { attempt, enqueuedAt, signal }) => {
        if (message.id.startsWith(markerPrefix)) {
          markers.add(message.id);
          return { type: 'done' };
        }
        const { promise, resolve } = Promise.withResolvers<Handled>();
        let hasEnded = false;
        const run: Run = {
          ...message,
          attempt,
          enqueuedAt,
          signal,
          at: Date.now(),
          end: resolve,
          hasEnded: () => hasEnded,
        };
        runs.push(run);
        try {
          return handle(run) ?? (await promise);
        } catch (error) {
          thrown.add(error);
          throw error;
        } finally {
          hasEnded = true;
        }
      },
    );
    return { runs, errors, consumer };
  };

  return {
    ...setting,
    queue,
    admin: () => adminOf(queue, 'checksOfQueue'),
    consume,
    until,
    within,
    twoLeasesLater: async () => {
      await pass(2 * leaseMs);
      const marker = `${markerPrefix}${markers.size}`;
      await queue.enqueue([message(marker)]);
      await until(() => markers.has(marker), 'A message that is due must be handed out, also after other ones');
    },
    settled: async ({ runs }, count) => {
      await until(
        () => runs.filter((run) => run.hasEnded()).length >= count,
        `Handlers must have come to an end ${count} times`,
      );
      const admin = adminOf(queue, 'checksOfQueue');
      await until(
        async () => (await admin.stats()).leased === 0,
        'stats() must count no message as leased when none is',
      );
    },
  };
};

/** The groups of all messages here. */
export const group = 'g';
export const otherGroup = 'other';

const markerPrefix = 'marker-';

export const message = (id: string, payload: QueuedMessage['payload'] = null, of = group): QueuedMessage => ({
  id,
  group: of,
  payload,
});

export const done: Handled = { type: 'done' };

/** A real one, also in a test whose clock doesn't move. */
const realNow = process.hrtime.bigint.bind(process.hrtime);

const elapsedMs = () => Number(realNow() / 1_000_000n);

/** Fails unless it rejects. */
export const mustReject = async (asked: Promise<unknown>, words: string): Promise<void> => {
  const hasRejected = await asked.then(
    () => false,
    () => true,
  );
  ok(hasRejected, words);
};

/** Fails unless two moments are as near to each other as clocks of a server and of this machine may be. */
export const assertNear = (ms: number | undefined, expectedMs: number, words: string): void => {
  const isNear = ms !== undefined && Math.abs(ms - expectedMs) <= toleranceMs;
  if (!isNear) throw new AssertionError({ message: words, actual: ms, expected: expectedMs });
};

const toleranceMs = 3_000;
