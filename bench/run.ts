import { measureDeadlines, type Settled } from './deadlines.ts';
import { measureAllocation, measureInterleaved, type Sample, type Subject } from './measure.ts';
import { startServer } from './start-server.ts';
import { type Spread, spreadOf } from './spread.ts';
import { gets, ownLayers, posts } from './subjects.ts';

export interface Extent {
  readonly concurrencies: readonly number[];
  readonly rounds: number;
  readonly sliceMs: number;
  readonly deadlineRounds: number;
}

/** What one subject costs at one concurrency. */
export interface Figure {
  readonly subject: string;
  readonly concurrency: number;
  readonly cpuUs: Spread;
  /** CPU as a multiple of the group's first subject in the same round. */
  readonly toFirst: Spread;
  /** CPU as a multiple of the group's second subject in the same round. */
  readonly toSecond: Spread;
  readonly callsPerSecond: Spread;
}

export interface Results {
  readonly own: readonly Figure[];
  readonly loopback: readonly Figure[];
  /** Bytes on the JavaScript heap per call, one call at a time. */
  readonly allocation: ReadonlyMap<string, number>;
  readonly deadlines: readonly Settled[];
}

/** Measures everything in one process, with the server in another. */
export const run = async (extent: Extent): Promise<Results> => {
  using server = await startServer();
  const own = ownLayers();
  const loopback = [gets(server.baseUrl), posts(server.baseUrl)];

  const allocation = new Map<string, number>();
  for (const subject of [own, ...loopback].flat()) allocation.set(subject.name, await measureAllocation(subject));

  return {
    own: await figuresOf(own, extent),
    loopback: (await inTurn(loopback, (subjects) => figuresOf(subjects, extent))).flat(),
    allocation,
    deadlines: (
      await inTurn(Array.from({ length: extent.deadlineRounds }), () => measureDeadlines(server.baseUrl))
    ).flat(),
  };
};

/** Measures one group of subjects, at each concurrency. */
export const figuresOf = async (
  subjects: readonly Subject[],
  extent: Pick<Extent, 'concurrencies' | 'rounds' | 'sliceMs'>,
): Promise<readonly Figure[]> => {
  const perConcurrency = await inTurn(extent.concurrencies, async (concurrency) => {
    const samples = await measureInterleaved(subjects, { ...extent, concurrency });
    return subjects.map(({ name }, index) => figureOf(name, concurrency, samples, samples[index] ?? []));
  });
  return perConcurrency.flat();
};

const figureOf = (
  subject: string,
  concurrency: number,
  [first = [], second = []]: readonly (readonly Sample[])[],
  own: readonly Sample[],
): Figure => ({
  subject,
  concurrency,
  cpuUs: spreadOf(own.map(({ cpuUsPerCall }) => cpuUsPerCall)),
  toFirst: spreadOf(ratios(own, first)),
  toSecond: spreadOf(ratios(own, second)),
  callsPerSecond: spreadOf(own.map(({ callsPerSecond }) => callsPerSecond)),
});

const ratios = (own: readonly Sample[], other: readonly Sample[]): readonly number[] =>
  own.map(({ cpuUsPerCall }, round) => cpuUsPerCall / (other[round]?.cpuUsPerCall ?? Number.NaN));

const inTurn = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
};
