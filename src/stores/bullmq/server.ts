import { type Processor, Queue, type Telemetry, Worker, type WorkerOptions } from 'bullmq';
import { LRUCache } from 'lru-cache';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { Driver } from './connection.ts';
import { type Engine, openPostgres, openRedis } from './engines.ts';
import { idOfJob, type JobData, jobIdOf, queueOf } from './job.ts';

export type GroupQueue = Queue<JobData, void>;

export interface ServerOptions {
  readonly driver: Driver;
  /** Begins the names of all queues. */
  readonly name: string;
  readonly telemetry: Telemetry | undefined;
}

/** BullMQ's queues and workers, one queue per group. */
export type Server = Awaited<ReturnType<typeof openServer>>;

/** For so many workers, or for calls alone. */
export const openServer = async (options: ServerOptions, workers = 0) => {
  const { driver } = options;
  const engine = await (driver.engine === 'Redis' ? openRedis : openPostgres)(driver.options, workers);
  try {
    return await serve(engine, options);
  } catch (error) {
    await engine.close();
    throw error;
  }
};

const serve = async (engine: Engine, { driver, name, telemetry }: ServerOptions) => {
  // Braces keep all keys on one node of a cluster.
  const options = withoutUndefined({ connection: engine.connection, prefix: `{${name}}`, telemetry });
  const queues = new Map<string, GroupQueue>();
  /** For a minute, since a server may forget them. */
  const known = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });

  const open = (name: string): GroupQueue => {
    const queue: GroupQueue = new Queue(name, options, engine.backend);
    // Its calls get the error themselves.
    queue.on('error', () => undefined);
    queues.set(name, queue);
    // It would say so for ever.
    queue.waitUntilReady().catch(() => queues.delete(name));
    return queue;
  };
  const find = (name: string) => queues.get(name) ?? open(name);
  const queue = (group: string) => find(queueOf(name, group));
  /** Its jobs are the names of the groups. No worker takes them. */
  const names = () => find(`${name}.groups`);
  // On Redis it waits for a server that is down, and calls would wait with it.
  if (driver.engine === 'PostgreSQL') await names().waitUntilReady();

  return {
    /** The queue of a group that other processes know of from now on. */
    registered: async (group: string): Promise<GroupQueue> => {
      if (!known.has(group)) {
        await names().add('group', { payload: '' }, { jobId: jobIdOf(group) });
        known.set(group, true);
        engine.forgetIds?.(queueOf(name, group)).catch(() => undefined);
      }
      return queue(group);
    },
    /** Reads the queues of all groups that any process has registered, or that of one group. */
    each: async <T>(read: (queue: GroupQueue) => Promise<T>, group?: string): Promise<T[]> => {
      const groups = group === undefined ? (await names().getRanges(['wait'], 0, -1)).map(idOfJob) : [group];
      return Promise.all(groups.map((group) => read(queue(group))));
    },
    worker: (group: string, process: Processor<JobData, void>, settings: Partial<WorkerOptions>) =>
      new Worker<JobData, void>(queueOf(name, group), process, { ...options, ...settings }, engine.backend),
    close: engine.close,
  };
};
