import { latestMs } from './report.ts';
import type { Results } from './run.ts';

/** Three times the aim of 10 µs, so that only a change of the code can fail it, and a busy machine cannot. */
const ownLayersGateUs = 30;

const lateAimMs = 50;

/**
 * Says whether our own layers are still cheap: the lowest round of a GET counts, since noise only adds.
 * Where the deadlines lie is told and not judged, since it depends on how busy the machine is.
 */
export const gate = ({ own, deadlines }: Results, print: (line: string) => void): boolean => {
  const gets = own.filter(({ subject }) => subject === 'own layers, GET');
  const costUs = Math.min(...gets.map(({ cpuUs }) => cpuUs.lowest));
  const lateMs = latestMs(deadlines);
  print(`own layers, GET: ${costUs.toFixed(1)} µs in the best round; the gate is ${ownLayersGateUs} µs`);
  print(`latest call: ${lateMs.toFixed(1)} ms beyond its deadline; the aim is ${lateAimMs} ms`);
  return costUs <= ownLayersGateUs;
};
