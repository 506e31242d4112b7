import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns the bytes of the heap in use after a full garbage collection. */
export const liveHeapBytes = (): number => {
  setFlagsFromString('--expose-gc');
  // What that flag puts into each new context.
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
};
