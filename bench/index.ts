/**
 * What a call costs, and when calls that cannot succeed end: `npm run bench`. With `-- --short` it takes some seconds
 * and fails when our own layers have become much dearer.
 */
import { parseArgs } from 'node:util';
import { gate } from './gate.ts';
import { report } from './report.ts';
import { type Extent, run } from './run.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });

const whole: Extent = { concurrencies: [1, 16, 128], rounds: 15, sliceMs: 100, deadlineRounds: 3 };
const short: Extent = { concurrencies: [16], rounds: 7, sliceMs: 60, deadlineRounds: 1 };

const results = await run(values.short ? short : whole);
console.log(report(results, values.short ? 'npm run bench -- --short' : 'npm run bench'));
if (values.short) process.exitCode = gate(results, (line) => console.log(line)) ? 0 : 1;
