/**
 * What a call costs, and when calls that cannot succeed end: `npm run bench`. With `-- --short` it takes some seconds
 * and fails when our own layers have become much dearer. `-- webhooks`, `-- outbox` and `-- tools` measure those instead.
 */
import { parseArgs } from 'node:util';
import { gate } from './gate.ts';
import { outbox } from './outbox.ts';
import { report } from './report.ts';
import { type Extent, run } from './run.ts';
import { tools } from './tools.ts';
import { webhooks } from './webhooks.ts';

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false } },
  allowPositionals: true,
});

const whole: Extent = { concurrencies: [1, 16, 128], rounds: 15, sliceMs: 100, deadlineRounds: 3 };
const short: Extent = { concurrencies: [16], rounds: 7, sliceMs: 60, deadlineRounds: 1 };
const extent = values.short ? short : whole;
const command = ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');

/** Each prints its own tables and judges nothing. */
const suites = new Map([
  ['webhooks', webhooks],
  ['outbox', outbox],
  ['tools', tools],
]);

for (const name of positionals) {
  const suite = suites.get(name);
  if (!suite) throw new Error(`there is no suite ${name}, only ${[...suites.keys()].join(', ')}`);
  console.log(await suite(extent, command));
}

if (positionals.length === 0) {
  const results = await run(extent);
  console.log(report(results, command));
  if (values.short) process.exitCode = gate(results, (line) => console.log(line)) ? 0 : 1;
}
