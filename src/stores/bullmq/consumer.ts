import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import { AbortedError } from '../../errors.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { Consumer, ConsumeOptions, Handled, MessageHandler } from '../../ports/message-queue.ts';
import { settleWithin } from '../../timers.ts';
import { parseStored } from '../message-ledger.ts';
import { attemptsOf, crashesOf, idOfJob, isSuspect, type JobData, toFailure } from './job.ts';
import type { GroupWorker, Server } from './server.ts';

export interface ConsumerSettings {
  /** Tried again while it rejects. */
  readonly open: (onError: (error: unknown) => void) => Promise<Server>;
  /** How often to look for messages whose process has died. */
  readonly pollMs: number;
  /** How long a close waits for a server that is unreachable. */
  readonly timeoutMs: number;
}

/** One BullMQ worker per group. */
export const startBullmqConsumer = (
  { open, pollMs, timeoutMs }: ConsumerSettings,
  { groups, concurrency, leaseMs, maximumAttempts, onError }: ConsumeOptions,
  handle: MessageHandler,
): Consumer => {
  const permits = createPermits(concurrency);
  /** What was in flight when a process died is handled one by one: the next crash says which message it was. */
  const alone = createPermits(1);
  /** How a handler ended, until the server knows: a message that comes back before is not handled again. */
  const ended = new Map<string, Ended>();
  const running = new Map<string, Run>();
  const workers: GroupWorker[] = [];
  let server: Server | undefined;
  const full: Job<JobData>[] = [];
  let emptying: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let reportedAt = Number.NEGATIVE_INFINITY;

  /** Once a second: while a server is unreachable, BullMQ reports each of its tries. */
  const report = (error: unknown) => {
    const now = performance.now();
    if (isClosed || now - reportedAt < 1_000) return;
    reportedAt = now;
    ignoreErrors(() => onError?.(error));
  };

  const failed = (attempt: number, waitMs: number): Handled =>
    attempt >= maximumAttempts ? exhausted : { type: 'retry-at', at: Date.now() + waitMs };

  const run = async (job: Job<JobData>, group: string): Promise<Handled> => {
    if (isClosed) return handBack();
    const controller = new AbortController();
    const cut = Promise.withResolvers<Handled>();
    const end: Run['end'] = (handled, why) => {
      controller.abort(new AbortedError(why));
      cut.resolve(handled);
    };
    const own: Run = { end, isHandling: false };
    running.set(keyOf(job, group), own);
    const attempt = attemptsOf(job) + 1;

    const handleOne = async (): Promise<Handled> => {
      own.isHandling = true;
      const message = { id: idOfJob(job.id ?? ''), group, payload: parseStored(job.data.payload) };
      const timer = setTimeout(() => end(failed(attempt, 0), 'the handler took longer than its lease'), leaseMs);
      try {
        const { signal } = controller;
        return await Promise.race([handle(message, { attempt, enqueuedAt: job.timestamp, signal }), cut.promise]);
      } catch (error) {
        report(error);
        return failed(attempt, leaseMs);
      } finally {
        clearTimeout(timer);
      }
    };

    const handleAlone = async (): Promise<Handled> => {
      const { payload } = job.data;
      const [crashes, { attemptsMade }] = [crashesOf(job), job];
      await job.updateData({ payload, suspicion: { attemptsMade, crashes } });
      const handled = await permits.run(handleOne, cut.promise);
      // What is not counted as an attempt must not look like a crash.
      if (handled.type === 'retry-at' && handled.uncounted)
        await job.updateData({ payload, suspicion: { attemptsMade: undefined, crashes } });
      return handled;
    };

    try {
      if (attempt > maximumAttempts) return exhausted;
      return await (isSuspect(job) ? alone.run(handleAlone, cut.promise) : permits.run(handleOne, cut.promise));
    } finally {
      running.delete(keyOf(job, group));
    }
  };

  const process = async (job: Job<JobData>, group: string, token: string): Promise<void> => {
    if (job.data.discarded !== undefined) return;
    const key = keyOf(job, group);
    const before = ended.get(key);
    const handled = before && isSameHandling(before, job) ? before.handled : await run(job, group);
    ended.set(key, { handled, stalledCounter: job.stalledCounter });
    if (handled.type === 'dead') throw new UnrecoverableError(toFailure(handled.reason, handled.note));
    if (handled.type === 'retry-at' && !handled.uncounted) throw new RetryError(handled);
    if (handled.type === 'done') return;
    await job.moveToDelayed(Math.ceil(handled.at), token);
    ended.delete(key);
    throw new DelayedError();
  };

  const startWorker = (server: Server, group: string, limit: number): GroupWorker => {
    const worker = server.worker(group, (job, token = '') => process(job, group, token), {
      concurrency: limit,
      lockDuration: Math.min(leaseMs, lockMs),
      stalledInterval: pollMs,
      // Being in flight at a crash is no reason to die: how often it died itself is counted by `crashesOf`.
      maxStalledCount: 2 ** 31 - 1,
      runRetryDelay: 1_000,
      settings: {
        backoffStrategy: (_attemptsMade, _type, error) => (error instanceof RetryError ? error.waitMs() : 1_000),
      },
    });
    worker.on('error', report);
    worker.on('lockRenewalFailed', (ids: readonly string[]) => {
      for (const id of ids) running.get(`${group} ${id}`)?.end(handBack(), 'the lease of this message was lost');
    });
    worker.on('completed', (job) => {
      ended.delete(keyOf(job, group));
      if (job.data.payload !== undefined) empty(job, server.emptyAtOnce);
    });
    worker.on('failed', (job, error) => {
      if (job && (error instanceof RetryError || error instanceof UnrecoverableError)) ended.delete(keyOf(job, group));
    });
    return worker;
  };

  /** Ids are kept, what the messages said is not. Some at a time, so that emptying doesn't slow the handling of others. */
  const empty = (job: Job<JobData>, atOnce: number) => {
    full.push(job);
    emptying = emptying
      .then(() => Promise.all(full.splice(0, atOnce).map((each) => each.updateData({}))))
      .catch(ignore);
  };

  const start = async () => {
    while (!isClosed) {
      try {
        const opened = await open(report);
        server = opened;
        if (!isClosed)
          workers.push(...Object.entries(groups).map(([group, limit]) => startWorker(opened, group, limit)));
        return;
      } catch (error) {
        report(error);
        await sleep(1_000, undefined, { ref: false });
      }
    }
  };
  const started = start();

  const close = async (drainMs: number) => {
    isClosed = true;
    await within(started, timeoutMs);
    const handBackAll = (runs: readonly Run[]) => {
      for (const { end } of runs) end(handBack(), 'the message queue is being closed');
    };
    const closed = Promise.all(workers.map((worker) => worker.close().catch(() => undefined)));
    handBackAll([...running.values()].filter(({ isHandling }) => !isHandling));
    await within(closed, drainMs);
    handBackAll([...running.values()]);
    await within(
      closed.then(() => emptying),
      timeoutMs,
    );
    if (server) await within(server.close(), timeoutMs);
  };
  let closing: Promise<void> | undefined;
  return { close: (drainMs) => (closing ??= close(drainMs)) };
};

interface Ended {
  readonly handled: Handled;
  readonly stalledCounter: number;
}

/**
 * Whether the server never learned of the end. When only its answer was lost, the message comes back without having
 * stalled: for its next attempt, or because a dead letter was redriven.
 */
const isSameHandling = ({ handled, stalledCounter }: Ended, job: Job<JobData>): boolean =>
  handled.type === 'done' || job.stalledCounter > stalledCounter;

/** A message that this process has. */
interface Run {
  /** Ends its handler early: what that returns is ignored then. */
  readonly end: (handled: Handled, why: string) => void;
  /** `false` while it waits for a permit. */
  isHandling: boolean;
}

/** Says when to try again: by our schedule, or by the server's Retry-After. */
class RetryError extends Error {
  readonly at: number;
  constructor({ at, note }: Extract<Handled, { readonly type: 'retry-at' }>) {
    super(toFailure('retry', note));
    this.at = at;
  }
  waitMs() {
    return Math.max(0, Math.ceil(this.at - Date.now()));
  }
}

const ignore = () => undefined;

const handBack = (): Handled => ({ type: 'retry-at', at: Date.now(), uncounted: true });

const exhausted: Handled = { type: 'dead', reason: 'attempts_exhausted' };

/** How long after a crash the messages of a process belong to it; BullMQ renews the lock while a handler runs. */
const lockMs = 15_000;

const keyOf = ({ id }: Job<JobData>, group: string) => `${group} ${id}`;

/** Waits for work, but not longer than `ms`, and not for its errors. */
const within = (work: Promise<unknown>, ms: number): Promise<unknown> =>
  settleWithin(work, { deadline: ms }).catch(ignore);

/** Lets `count` handlers run at once; the others wait in order. */
const createPermits = (count: number) => {
  const waiting: (() => void)[] = [];
  let free = count;

  const acquire = (): Promise<void> => {
    if (free === 0) return new Promise((resolve) => waiting.push(resolve));
    free -= 1;
    return Promise.resolve();
  };

  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };

  return {
    /** Runs `work` when a permit is free, unless `instead` resolves before. */
    run: <T>(work: () => Promise<T>, instead: Promise<T>): Promise<T> => {
      let state: 'waiting' | 'begun' | 'over' = 'waiting';
      const ended = acquire()
        .then(() => {
          if (state === 'over') return instead;
          state = 'begun';
          return work();
        })
        .finally(release);
      const cut = instead.then((result) => {
        if (state === 'begun') return ended;
        state = 'over';
        return result;
      });
      return Promise.race([ended, cut]);
    },
  };
};
