import { DelayedError, type Job, type Processor, UnrecoverableError, type Worker } from 'bullmq';
import { StoreError } from '../../core/errors.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { Consumer, ConsumeOptions, Handled, MessageHandler } from '../ports/message-queue.ts';
import { setUnrefTimer, waitAtMost } from '../../core/timers.ts';
import { defaultDrainMs, parseStored } from '../message-ledger.ts';
import { handBack, runHandler } from '../run-handler.ts';
import { attemptsOf, groupOfQueue, idOfJob, type JobData, failureText } from './job.ts';
import { openServer, type Server, type ServerOptions } from './server.ts';

/** One BullMQ worker per group, on connections of their own. */
export const startBullmqConsumer = (
  place: ServerOptions,
  options: ConsumeOptions,
  handle: MessageHandler,
): Consumer => {
  const lockDuration = Math.ceil(Math.min(options.leaseMs, lockMs));
  const groups = Object.entries(options.groups);
  let workers: readonly Worker[] = [];
  let server: Server | undefined;
  /** Aborts what didn't end in time. BullMQ's `cancelAllJobs` misses a job that came back while its last attempt ended. */
  const closed = new AbortController();
  let isClosed = false;
  let reportedAt = Number.NEGATIVE_INFINITY;

  /** Once a second: while a server is unreachable, BullMQ reports each of its tries. */
  const report = (error: unknown) => {
    if (isClosed || performance.now() - reportedAt < 1_000) return;
    reportedAt = performance.now();
    ignoreErrors(() => options.onError?.(error));
  };

  const run = async (job: Job<JobData>, attempt: number, signal: AbortSignal): Promise<Handled> => {
    if (isClosed) return handBack();
    const message = { id: idOfJob(job.id), group: groupOfQueue(job.queueName), payload: parseStored(job.data.payload) };
    return runHandler(handle, message, { attempt, enqueuedAt: job.timestamp, signal }, options);
  };

  /** Handles messages that were in flight when a process died one by one: the next crash says which message it was. */
  let lastAlone: Promise<unknown> = Promise.resolve();
  const runAlone: typeof run = (job, attempt, signal) => {
    const { payload } = job.data;
    const alone = lastAlone.then(async (): Promise<Handled> => {
      // Counted before it begins, since the process may die of it.
      await job.updateData({ payload, attempts: attempt });
      const handled = await run(job, attempt, signal);
      if (handled.type === 'retry-at' && handled.uncounted) await job.updateData({ payload, attempts: attempt - 1 });
      return handled;
    });
    lastAlone = alone.catch(() => undefined);
    return alone;
  };

  // BullMQ gives a signal to what takes three arguments.
  const process: Processor<JobData, void> = async (job, token, cancelled) => {
    const signal = AbortSignal.any([closed.signal, cancelled ?? closed.signal]);
    // It never stalls unless its process died, or froze for longer than its lock lasts.
    const handled = await (job.stalledCounter === 0 ? run : runAlone)(job, attemptsOf(job) + 1, signal);
    if (handled.type === 'done') return;
    if (handled.type === 'dead') throw new UnrecoverableError(failureText(handled.reason, handled.note));
    if (handled.uncounted) {
      await job.moveToDelayed(Math.ceil(handled.at), token);
      throw new DelayedError();
    }
    // By our schedule, or by the server's Retry-After.
    job.opts.backoff = { type: 'fixed', delay: Math.max(0, Math.ceil(handled.at - Date.now())) };
    throw new Error(failureText('retry', handled.note));
  };

  const workerOf = (server: Server, group: string, concurrency: number) => {
    const worker = server.worker(group, process, {
      autorun: false,
      concurrency,
      lockDuration,
      stalledInterval: Math.ceil(lockDuration / 3),
      // Being in flight at a crash is no reason to die: `runAlone` counts how often a message died itself.
      maxStalledCount: 2 ** 31 - 1,
      runRetryDelay: 1_000,
    });
    worker.on('error', report);
    worker.on('ioredis:close', () => report(new StoreError('the connection to Redis was closed')));
    // Another process has the message by now.
    worker.on('lockRenewalFailed', (ids) => ids.forEach((id) => worker.cancelJob(id)));
    return worker;
  };

  const work = async (opened: Server): Promise<void> => {
    server = opened;
    workers = groups.map(([group, limit]) => workerOf(opened, group, limit));
    // One that runs before it's ready tries again without a pause.
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    for (const worker of workers) worker.run().catch(report);
  };

  const start = async (): Promise<void> => {
    try {
      const opened = await openServer(place, groups.length);
      if (isClosed) return await opened.close();
      await work(opened);
    } catch (error) {
      report(error);
      await end();
      if (!isClosed) setUnrefTimer(() => void start(), 1_000);
    }
  };

  /** A server that is unreachable keeps no one waiting. */
  const end = async (): Promise<void> => {
    await waitAtMost(Promise.all(workers.map((worker) => worker.close())), 2_000);
    if (server) await waitAtMost(server.close(), 2_000);
    workers = [];
    server = undefined;
  };

  const close = async (drainMs: number) => {
    isClosed = true;
    await waitAtMost(Promise.all(workers.map((worker) => worker.close())), drainMs);
    closed.abort();
    await end();
  };
  let closing: Promise<void> | undefined;
  void start();
  return { close: (drainMs = defaultDrainMs) => (closing ??= close(drainMs)) };
};

/** The time after a crash for which the messages of a process belong to it; BullMQ renews the lock while a handler runs. */
const lockMs = 15_000;
