import { type Processor, Queue, type Telemetry, Worker, type WorkerOptions } from 'bullmq';
import { withoutUndefined } from '../../without-undefined.ts';
import type { Driver } from './connection.ts';
import { openPostgres, openRedis } from './engines.ts';
import { idOfJob, type JobData, jobIdOf, queueOf } from './job.ts';

export type GroupQueue = Queue<JobData, void>;
export type GroupWorker = Worker<JobData, void>;

/** BullMQ's queues and workers, one queue per group. */
export interface Server {
  queue(group: string): GroupQueue;
  worker(group: string, process: Processor<JobData, void>, options: Omit<WorkerOptions, 'connection'>): GroupWorker;
  /** Lets other processes know of groups, once a minute, since a server may forget. */
  register(groups: ReadonlySet<string>): Promise<void>;
  /** Of all processes. */
  groups(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly driver: Driver;
  /** Begins the names of all queues. */
  readonly name: string;
  readonly telemetry: Telemetry | undefined;
}

export const openServer = async ({ driver, name, telemetry }: ServerOptions): Promise<Server> => {
  const engine = await (driver.engine === 'Redis' ? openRedis : openPostgres)(driver);
  // Braces keep all keys on one node of a cluster.
  const common = withoutUndefined({ prefix: `{${name}}`, telemetry });
  const queues = new Map<string, GroupQueue>();
  const registeredAt = new Map<string, number>();

  const open = (name: string): GroupQueue => {
    const queue: GroupQueue = new Queue(name, { ...common, connection: engine.connection }, engine.backend);
    // Its calls get the error themselves.
    queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };
  /** Its jobs are the names of the groups. No worker takes them. */
  const names = open(`${name}.groups`);

  return {
    queue: (group) => queues.get(queueOf(name, group)) ?? open(queueOf(name, group)),
    worker: (group, process, options) =>
      new Worker(
        queueOf(name, group),
        process,
        { ...common, ...options, connection: engine.connectionOfWorker() },
        engine.backend,
      ),
    register: async (groups) => {
      const now = performance.now();
      const due = [...groups].filter((group) => now - (registeredAt.get(group) ?? -Infinity) > 60_000);
      if (due.length === 0) return;
      await names.addBulk(
        due.map((group) => ({ name: 'group', data: { payload: '' }, opts: { jobId: jobIdOf(group) } })),
      );
      for (const group of due) {
        registeredAt.set(group, now);
        engine.forgetIds(queueOf(name, group)).catch(() => undefined);
      }
    },
    groups: async () => (await names.getRanges(['wait'], 0, -1)).map((id) => idOfJob({ id })).toSorted(),
    close: engine.close,
  };
};
