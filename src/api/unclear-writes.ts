import { isSafeToRepeat } from '../core/errors.ts';
import { createRecentRecords } from './recent-records.ts';

/** The writes of a client that may have made something, for as long as a search may not show it. */
export interface UnclearWrites<Fields> {
  /** Runs a write. Its fields are remembered if it may have been done, and no key makes it safe to repeat. */
  run<Result>(fields: Fields, write: () => Promise<Result>): Promise<Result>;
  /** The fields of the writes whose end isn't known. */
  ended(): readonly Fields[];
  /** The fields of the writes that go on. */
  goingOn(): readonly Fields[];
}

/** Remembers each unclear write for `forMs`, and none at all with 0. */
export const createUnclearWrites = <Fields>({ forMs }: { readonly forMs: number }): UnclearWrites<Fields> => {
  const unclear = createRecentRecords<{ readonly id: string; readonly fields: Fields }>({ forMs });
  const running = new Set<{ readonly fields: Fields }>();
  let count = 0;
  return {
    run: async (fields, write) => {
      const own = { fields };
      running.add(own);
      try {
        return await write();
      } catch (error) {
        if (!isSafeToRepeat(error)) unclear.remember({ id: String((count += 1)), fields });
        throw error;
      } finally {
        running.delete(own);
      }
    },
    ended: () => unclear.all().map(({ fields }) => fields),
    goingOn: () => Array.from(running, ({ fields }) => fields),
  };
};
