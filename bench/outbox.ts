import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';
import { openLeaseTable } from './lease-table.ts';
import {
  drain,
  enqueue,
  inFlight,
  messagesPerSecond,
  payload,
  perSecond,
  publishAll,
  type Rate,
} from './queue-load.ts';
import { heading, spread, table } from './report.ts';
import type { Extent } from './run.ts';
import { spreadOf } from './spread.ts';

/**
 * Publishing into the sqlite queue and draining it, next to a bare lease table that is as durable: in turns, each round
 * with files of its own. Then the event loop under that load, and the memory over many messages.
 */
export const outbox = async ({ rounds }: Pick<Extent, 'rounds'>, command: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-outbox-'));
  try {
    const throughput = await measureThroughput(folder, rounds);
    const delays = await measureDelays(folder);
    const memory = await measureMemory(folder);
    return [
      heading(command),
      'Messages of 1 KB. All files with WAL and `synchronous=FULL`.',
      '',
      `### Publish with ${inFlight} in flight, drain with ${inFlight} at once`,
      '',
      table(['', 'published per second', 'ratio', 'drained per second', 'ratio', 'both, ratio'], throughput),
      '',
      '### Delay of the event loop meanwhile',
      '',
      table(['', 'p50, ms', 'p99, ms', 'longest, ms'], delays),
      '',
      '### Memory, after the collector',
      '',
      table(['messages published and drained', 'heap, MiB', 'RSS, MiB'], memory),
      '',
    ].join('\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

type Rows = readonly (readonly (string | number)[])[];

const measureThroughput = async (folder: string, rounds: number): Promise<Rows> => {
  const messages = 10_000;
  const warmUp = 2_000;
  const fileOf = (name: string, round: number) => join(folder, `${name}-${round}.db`);
  const bare = (isGrouped: boolean) => async (round: number) => {
    using leases = openLeaseTable(fileOf(`bare-${isGrouped}`, round), { isGrouped });
    await publishAll(warmUp, (id) => leases.publish(`warm-${id}`, text));
    leases.drain(inFlight);
    return {
      publishedPerSecond: await perSecond(messages, () => publishAll(messages, (id) => leases.publish(id, text))),
      drainedPerSecond: await perSecond(messages, async () => leases.drain(inFlight)),
    };
  };
  const subjects: readonly { readonly name: string; readonly work: (round: number) => Promise<Rate> }[] = [
    { name: 'bare lease table, one transaction per turn', work: bare(true) },
    { name: 'bare lease table, one transaction per publish', work: bare(false) },
    {
      name: 'the sqlite queue',
      work: async (round) => {
        const queue = sqlite({ file: fileOf('queue', round) }).messageQueue();
        // Its thread starts and warms up too.
        await publishAll(warmUp, (id) => enqueue(queue, `warm-${id}`));
        await drain(queue, warmUp);
        const rate = {
          publishedPerSecond: await perSecond(messages, () => publishAll(messages, (id) => enqueue(queue, id))),
          drainedPerSecond: await perSecond(messages, () => drain(queue, messages)),
        };
        await queue.close(0);
        return rate;
      },
    },
  ];

  const rates = subjects.map((): Rate[] => []);
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const index = (round + turn) % subjects.length;
      const rate = await subjects[index]?.work(round);
      if (rate && round > 0) rates[index]?.push(rate);
    }
  }
  const [floor = []] = rates;
  return subjects.map(({ name }, index) => {
    const own = rates[index] ?? [];
    const both = (['publishedPerSecond', 'drainedPerSecond'] as const).flatMap((rate) => [
      spread(spreadOf(own.map((each) => each[rate])), 0),
      spread(spreadOf(own.map((each, round) => each[rate] / (floor[round]?.[rate] ?? Number.NaN))), 2),
    ]);
    const together = own.map((each, round) => messagesPerSecond(each) / messagesPerSecond(floor[round]));
    return [name, ...both, spread(spreadOf(together), 2)];
  });
};

const measureDelays = async (folder: string): Promise<Rows> => {
  const messages = 50_000;
  const queue = sqlite({ file: join(folder, 'delays.db') }).messageQueue();
  await publishAll(messages / 10, (id) => enqueue(queue, `warm-${id}`));
  await drain(queue, messages / 10);
  globalThis.gc?.();
  const rows = [
    await delayDuring('nothing, as long', () => new Promise((resolve) => setTimeout(resolve, 1_000))),
    await delayDuring('publishing', () => publishAll(messages, (id) => enqueue(queue, id))),
    await delayDuring('draining', () => drain(queue, messages)),
  ];
  await queue.close(0);
  return rows;
};

const delayDuring = async (name: string, work: () => Promise<unknown>): Promise<(string | number)[]> => {
  const resolutionMs = 1;
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  await work();
  delay.disable();
  // Each value holds the pause of the monitor itself.
  const beyond = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs).toFixed(1);
  return [name, ...fromHistogram(delay).map(beyond)];
};

const fromHistogram = (delay: ReturnType<typeof monitorEventLoopDelay>): readonly number[] => [
  delay.percentile(50),
  delay.percentile(99),
  delay.max,
];

const measureMemory = async (folder: string): Promise<Rows> => {
  const batch = 10_000;
  const queue = sqlite({ file: join(folder, 'memory.db') }).messageQueue();
  const rows: (readonly (string | number)[])[] = [];
  for (let done = 0; done <= 100_000; done += batch) {
    if (done > 0) {
      await publishAll(batch, (id) => enqueue(queue, `${done}-${id}`));
      await drain(queue, batch);
    }
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    rows.push([done, (heapUsed / 2 ** 20).toFixed(1), (rss / 2 ** 20).toFixed(0)]);
  }
  await queue.close(0);
  return rows;
};

const text = JSON.stringify(payload);
