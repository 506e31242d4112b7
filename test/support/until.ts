import { setImmediate as nextTurn } from 'node:timers/promises';

/** Waits, turn by turn of the event loop, until there is something; work in other threads and on sockets goes on. */
export const until = async <T>(find: () => T | undefined | false): Promise<T> => {
  for (;;) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    await nextTurn();
  }
};

/** Like {@link until}, for an asynchronous condition. */
export const eventually = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await nextTurn();
};

/**
 * Returns the result of `work` on a clock that stays still while answers come in from real sockets, and moves on when nothing
 * happens any more.
 */
export const passing = async <T>(
  clock: { readonly advance: (ms: number) => Promise<void> },
  work: Promise<T>,
): Promise<T> => {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  for (let turn = 1; !isOver; turn += 1) {
    await nextTurn();
    if (turn % 200 === 0) await clock.advance(50);
  }
  return work;
};
