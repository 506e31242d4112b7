import { latestMs } from './report.ts';
import type { Results } from './run.ts';

/** Against a cost of the same machine in the same run; 4.0 to 5.9 was seen on a busy one. */
const gateTimesParsing = 8;

/** Of one GET from memory; 37 was seen, and 28 once it is compiled. Steady also on a busy machine. */
const gateKib = 45;

const lateAimMs = 50;

/**
 * Says whether our own layers are still cheap: the lowest round of a GET counts, since noise only adds.
 * Where the deadlines lie is told and not judged, since it depends on how busy the machine is.
 */
export const gate = ({ own, allocation, deadlines }: Results, print: (line: string) => void): boolean => {
  const lowestUs = (name: string) =>
    Math.min(...own.filter(({ subject }) => subject === name).map(({ cpuUs }) => cpuUs.lowest));
  const costUs = lowestUs('own layers, GET');
  const timesParsing = costUs / lowestUs('JSON.parse of the contact');
  print(`own layers, GET: ${costUs.toFixed(1)} µs in the best round; the aim is 10 µs`);
  print(`that is ${timesParsing.toFixed(1)} times JSON.parse of its answer; the gate is ${gateTimesParsing} times`);
  const kib = (allocation.get('own layers, GET') ?? Number.NaN) / 1024;
  print(`own layers, GET: ${kib.toFixed(1)} KiB left on the heap; the gate is ${gateKib} KiB`);
  print(`latest call: ${latestMs(deadlines).toFixed(1)} ms beyond its deadline; the aim is ${lateAimMs} ms`);
  return timesParsing <= gateTimesParsing && kib <= gateKib;
};
