import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The CPU time of the longest turn of the event loop until `work` settles, in milliseconds. Wall time would also count
 * what other processes of the machine do.
 */
export const longestTurnMs = async (work: Promise<unknown>): Promise<number> => {
  let isDone = false;
  let longest = 0;
  let before = cpuTime();
  const end = () => (isDone = true);
  work.then(end, end);
  while (!isDone) {
    await nextTurn();
    const { user, system } = cpuTime(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = cpuTime();
  }
  return longest;
};

/** Of this thread where Node knows it (23.9 and later). */
const cpuTime = (before?: NodeJS.CpuUsage): NodeJS.CpuUsage =>
  process.threadCpuUsage ? process.threadCpuUsage(before) : process.cpuUsage(before);
