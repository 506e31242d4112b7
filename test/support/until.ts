import { setImmediate as nextTurn } from 'node:timers/promises';

/** Waits, turn by turn of the event loop, until there is something; work in other threads and on sockets goes on. */
export const until = async <T>(find: () => T | undefined | false): Promise<T> => {
  for (;;) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    await nextTurn();
  }
};

/** As {@link until}, for what has to be asked for. */
export const eventually = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await nextTurn();
};
