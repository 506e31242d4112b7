import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, type Processor, UnrecoverableError } from 'bullmq';
import { StoreError } from '../../errors.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { Consumer, ConsumeOptions, Handled, MessageHandler } from '../../ports/message-queue.ts';
import { settleWithin } from '../../timers.ts';
import { attemptsExhausted, defaultDrainMs, parseStored } from '../message-ledger.ts';
import { handBack, runHandler } from '../run-handler.ts';
import { attemptsOf, idOfJob, type JobData, toFailure } from './job.ts';
import type { GroupWorker, Server } from './server.ts';

export interface ConsumerSettings {
  /** Tried again while it rejects. */
  readonly open: () => Promise<Server>;
  /** How often to look for messages whose process has died. */
  readonly pollMs: number;
  /** How long a close waits for a server that is unreachable. */
  readonly timeoutMs: number;
}

/** One BullMQ worker per group. */
export const startBullmqConsumer = (
  { open, pollMs, timeoutMs }: ConsumerSettings,
  given: ConsumeOptions,
  handle: MessageHandler,
): Consumer => {
  const { groups, leaseMs, maximumAttempts, onError } = given;
  const workers: GroupWorker[] = [];
  /** Aborts what didn't end in time. BullMQ's `cancelAllJobs` misses a job that came back while its last attempt ended. */
  const closed = new AbortController();
  let isClosed = false;
  let reportedAt = Number.NEGATIVE_INFINITY;

  /** Once a second: while a server is unreachable, BullMQ reports each of its tries. */
  const report = (error: unknown) => {
    if (isClosed || performance.now() - reportedAt < 1_000) return;
    reportedAt = performance.now();
    ignoreErrors(() => onError?.(error));
  };
  const options = { ...given, onError: report };

  const run = async (job: Job<JobData>, group: string, attempt: number, signal: AbortSignal): Promise<Handled> => {
    if (isClosed) return handBack();
    const message = { id: idOfJob(job), group, payload: parseStored(job.data.payload) };
    return runHandler(handle, message, { attempt, enqueuedAt: job.timestamp, signal }, options);
  };

  /** Counts the attempt before it begins, since the process may die of it. */
  const runCounted: typeof run = async (job, group, attempt, signal) => {
    if (attempt > maximumAttempts) return { type: 'dead', reason: attemptsExhausted };
    const { payload } = job.data;
    await job.updateData({ payload, attempts: attempt });
    const handled = await run(job, group, attempt, signal);
    if (handled.type === 'retry-at' && handled.uncounted) await job.updateData({ payload, attempts: attempt - 1 });
    return handled;
  };

  /** What was in flight when a process died is handled one by one: the next crash says which message it was. */
  let lastAlone: Promise<unknown> = Promise.resolve();
  const runAlone: typeof run = (...job) => {
    const alone = lastAlone.then(() => runCounted(...job));
    lastAlone = alone.catch(() => undefined);
    return alone;
  };

  const processorOf =
    (group: string): Processor<JobData, void> =>
    // BullMQ gives a signal to what takes three arguments.
    async (job, token, cancelled) => {
      const signal = AbortSignal.any(cancelled ? [closed.signal, cancelled] : [closed.signal]);
      // It never stalls unless its process died, or froze for longer than its lock lasts.
      const handled = await (job.stalledCounter === 0 ? run : runAlone)(job, group, attemptsOf(job) + 1, signal);
      if (handled.type === 'done') return;
      if (handled.type === 'dead') throw new UnrecoverableError(toFailure(handled.reason, handled.note));
      if (!handled.uncounted) throw new RetryError(toFailure('retry', handled.note), handled.at);
      await job.moveToDelayed(Math.ceil(handled.at), token);
      throw new DelayedError();
    };

  const startWorker = (server: Server, group: string, concurrency: number): GroupWorker => {
    const worker = server.worker(group, processorOf(group), {
      concurrency,
      lockDuration: Math.min(leaseMs, lockMs),
      stalledInterval: pollMs,
      // Being in flight at a crash is no reason to die: `runCounted` counts how often a message died itself.
      maxStalledCount: 2 ** 31 - 1,
      runRetryDelay: 1_000,
      settings: {
        backoffStrategy: (_attemptsMade, _type, error) =>
          error instanceof RetryError ? Math.max(0, Math.ceil(error.at - Date.now())) : 1_000,
      },
    });
    worker.on('error', report);
    worker.on('ioredis:close', () => report(new StoreError('the connection to Redis was closed')));
    // Another process has the message by now.
    worker.on('lockRenewalFailed', (ids) => ids.forEach((id) => worker.cancelJob(id)));
    return worker;
  };

  const start = async (): Promise<void> => {
    while (!isClosed) {
      try {
        const server = await open();
        if (isClosed) return;
        workers.push(...Object.entries(groups).map(([group, limit]) => startWorker(server, group, limit)));
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
    const ended = Promise.all(workers.map((worker) => worker.close()));
    await within(ended, drainMs);
    closed.abort();
    await within(ended, timeoutMs);
  };
  let closing: Promise<void> | undefined;
  return { close: (drainMs = defaultDrainMs) => (closing ??= close(drainMs)) };
};

/** Says when to try again: by our schedule, or by the server's Retry-After. */
class RetryError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** How long after a crash the messages of a process belong to it; BullMQ renews the lock while a handler runs. */
const lockMs = 15_000;

/** Waits for work, but not longer than `ms`, and not for its errors. */
const within = <T>(work: Promise<T>, ms: number): Promise<T | undefined> =>
  settleWithin(work, { deadline: ms }).catch(() => undefined);
