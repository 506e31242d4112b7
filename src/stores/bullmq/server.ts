import { type Processor, Queue, type Telemetry, Worker, type WorkerOptions } from 'bullmq';
import { LRUCache } from 'lru-cache';
import { withoutUndefined } from '../../without-undefined.ts';
import type { Driver } from './connection.ts';
import { openPostgres, openRedis } from './engines.ts';
import { idOfJob, type JobData, jobIdOf, queueOf } from './job.ts';

export type GroupQueue = Queue<JobData, void>;
export type GroupWorker = Worker<JobData, void>;

/** BullMQ's queues and workers, one queue per group. */
export interface Server {
  queue(group: string): GroupQueue;
  /** Of all groups that any process has registered. */
  queues(): Promise<readonly GroupQueue[]>;
  worker(group: string, process: Processor<JobData, void>, options: Omit<WorkerOptions, 'connection'>): GroupWorker;
  /** Lets other processes know of a group, once a minute, since a server may forget. */
  register(group: string): Promise<void>;
  close(): Promise<void>;
}

/** `name` begins the names of all queues. */
export const openServer = async (driver: Driver, name: string, telemetry: Telemetry | undefined): Promise<Server> => {
  const engine = await (driver.engine === 'Redis' ? openRedis : openPostgres)(driver);
  // Braces keep all keys on one node of a cluster.
  const common = withoutUndefined({ prefix: `{${name}}`, telemetry });
  const queues = new Map<string, GroupQueue>();
  const registered = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });

  const open = (name: string): GroupQueue => {
    const queue: GroupQueue = new Queue(name, { ...common, connection: engine.connection }, engine.backend);
    // Its calls get the error themselves.
    queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };
  const queue = (group: string) => queues.get(queueOf(name, group)) ?? open(queueOf(name, group));
  /** Its jobs are the names of the groups. No worker takes them. */
  const names = open(`${name}.groups`);

  return {
    queue,
    queues: async () => (await names.getRanges(['wait'], 0, -1)).map((id) => queue(idOfJob({ id }))),
    worker: (group, process, options) =>
      new Worker(
        queueOf(name, group),
        process,
        { ...common, ...options, connection: engine.connectionOfWorker() },
        engine.backend,
      ),
    register: async (group) => {
      if (registered.has(group)) return;
      await names.add('group', { payload: '' }, { jobId: jobIdOf(group) });
      registered.set(group, true);
      engine.forgetIds?.(queueOf(name, group)).catch(() => undefined);
    },
    close: engine.close,
  };
};
