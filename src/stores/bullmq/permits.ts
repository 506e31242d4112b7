/** Lets so many pieces of work run at once, the others in the order in which they came. */
export interface Permits {
  /** Runs `work` when a permit is free, unless `instead` resolves before. */
  run<T>(work: () => Promise<T>, instead: Promise<T>): Promise<T>;
}

export const createPermits = (count: number): Permits => {
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
    run: async (work, instead) => {
      const acquired = acquire();
      let isOver = false;
      const begun = acquired.then(async () => {
        try {
          return await (isOver ? instead : work());
        } finally {
          release();
        }
      });
      const first = await Promise.race([acquired.then(() => begin), instead.then(() => over)]);
      isOver = first === over;
      return isOver ? instead : begun;
    },
  };
};

const begin = Symbol('begin');
const over = Symbol('over');
