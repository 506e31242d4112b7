/** Something whose cost is measured: one call, made again and again. */
export interface Subject {
  readonly name: string;
  readonly call: () => Promise<unknown>;
  /** How many of its calls are under way at once. @defaultValue the round's `concurrency` */
  readonly inFlight?: number;
}

/** One slice of calls of one subject. */
export interface Sample {
  /** Of the whole process, its garbage collector included. */
  readonly cpuUsPerCall: number;
  readonly callsPerSecond: number;
}

export interface RoundOptions {
  readonly concurrency: number;
  readonly rounds: number;
  /** About how long one subject runs in one round. */
  readonly sliceMs: number;
}

/**
 * Runs every subject in every round, each time beginning with another one, so that whatever else the machine does in
 * the meantime falls on all of them. One list of samples per subject, one sample per round.
 */
export const measureInterleaved = async (
  subjects: readonly Subject[],
  { concurrency, rounds, sliceMs }: RoundOptions,
): Promise<readonly (readonly Sample[])[]> => {
  const calls: number[] = [];
  for (const { call, inFlight } of subjects) calls.push(await callsWithin(sliceMs, inFlight ?? concurrency, call));
  const samples = subjects.map((): Sample[] => []);
  globalThis.gc?.();
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const index = (round + turn) % subjects.length;
      const subject = subjects[index];
      if (!subject) continue;
      samples[index]?.push(await measureSlice(calls[index] ?? 0, subject.inFlight ?? concurrency, subject.call));
    }
  }
  return samples;
};

/**
 * What one call leaves on the JavaScript heap for the collector, in bytes: the median over batches, so that those in
 * which a collection ran do not count. Buffers outside the heap are not in it.
 */
export const measureAllocation = async ({ call }: Subject): Promise<number> => {
  const batches = 41;
  const callsPerBatch = 25;
  await makeCalls(200, 1, call);
  globalThis.gc?.();
  const perCall: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const before = process.memoryUsage().heapUsed;
    await makeCalls(callsPerBatch, 1, call);
    perCall.push((process.memoryUsage().heapUsed - before) / callsPerBatch);
  }
  return perCall.toSorted((a, b) => a - b)[Math.floor(batches / 2)] ?? Number.NaN;
};

const measureSlice = async (calls: number, concurrency: number, call: Subject['call']): Promise<Sample> => {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await makeCalls(calls, concurrency, call);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { cpuUsPerCall: (user + system) / calls, callsPerSecond: calls / seconds };
};

/** The compiler needs so many calls before it leaves code alone. */
const warmUpCalls = 2_000;

/** Warms the subject up, and finds out how many calls fill a slice. */
const callsWithin = async (sliceMs: number, concurrency: number, call: Subject['call']): Promise<number> => {
  await makeCalls(warmUpCalls, concurrency, call);
  const startedAt = performance.now();
  await makeCalls(warmUpCalls, concurrency, call);
  const tookMs = performance.now() - startedAt;
  return Math.max(concurrency, Math.round((warmUpCalls * sliceMs) / tookMs));
};

const makeCalls = async (calls: number, concurrency: number, call: Subject['call']): Promise<void> => {
  let left = calls;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
};
