import { latestMs } from './report.ts';
import type { Results } from './run.ts';

/** Against a cost of the same machine in the same run; 7 to 10 was seen. */
const gateTimesParsing = 16;

/** Of one GET from memory; 48 was seen, and 45 for a POST. Steady also on a busy machine. */
const gateKib = 54;

/** Of one GET on transport/undici, over loopback; 61 was seen. */
const gateKibOnUndici = 68;

const lateAimMs = 50;

/**
 * Says whether our own layers are still cheap: the lowest round of a GET counts, since noise only adds.
 * How late calls end after their deadlines is printed and not judged, since it depends on how busy the machine is.
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
  const kibOnUndici = (allocation.get('full stack on transport/undici, GET') ?? Number.NaN) / 1024;
  print(`on transport/undici, GET: ${kibOnUndici.toFixed(1)} KiB left on the heap; the gate is ${gateKibOnUndici} KiB`);
  print(`latest call: ${latestMs(deadlines).toFixed(1)} ms beyond its deadline; the aim is ${lateAimMs} ms`);
  return timesParsing <= gateTimesParsing && kib <= gateKib && kibOnUndici <= gateKibOnUndici;
};
