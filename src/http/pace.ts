import pThrottle from 'p-throttle';

const timesPerSecond = 10;

/** Does what no phone call waits for at most ten times a second. */
export const pace = <Arguments extends readonly unknown[], Result>(
  work: (...args: Arguments) => Promise<Result>,
): ((...args: Arguments) => Promise<Result>) => pThrottle({ limit: timesPerSecond, interval: 1_000 })(work);
