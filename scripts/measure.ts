/**
 * `npm run measure` prints the size of the package and its goals. `npm run measure -- libraries` replaces each library
 * by a stub and counts the tests that fail, which takes minutes; `npm run measure -- libraries ky test/billing` does it
 * for one library and one folder of tests.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { measureLibraries } from './measure/libraries.ts';
import { sourceSize } from './measure/source.ts';
import type { Ways } from './measure/ways.ts';

const root = new URL('../', import.meta.url);

const countWays = async (): Promise<Ways> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', './scripts/from-source.js', 'scripts/measure/ways.ts'],
    { cwd: fileURLToPath(root) },
  );
  // ways.ts has just written it.
  return JSON.parse(stdout) as Ways;
};

const measureSize = async (): Promise<void> => {
  const [size, { payment, paymentTool }] = await Promise.all([sourceSize(root), countWays()]);
  const row = (measured: number, goal: number) => ({ measured, goal, met: measured <= goal ? 'yes' : 'no' });
  console.table({
    'lines of src': row(size.lines, 32_000),
    'files of src': row(size.files, 360),
    'files for billing.payments.create': row(payment.files, 24),
    'files for the payment tool': row(paymentTool.files, 45),
    exports: row(size.exports, 600),
    'import cycles': row(size.cycles, 0),
    'types `any`': row(size.any, 0),
  });
  console.log(`${size.presetLines} of the lines are presets of platforms.`);
  console.log(
    'src: without console, cli and testing. Files for a payment: those with a function that runs on its 6th call,',
  );
  console.log(
    `${payment.functions} functions for the client and ${paymentTool.functions} for the tool, by OpenAI Realtime.`,
  );
  console.log('The budgets of time, memory and bytes: npm run bench -- budgets');
};

const [command, ...rest] = process.argv.slice(2);
if (command === undefined) await measureSize();
else if (command === 'libraries') await measureLibraries(root, rest);
else {
  console.error(`There is no "${command}". Use: npm run measure [-- libraries [NAME] [FOLDER ...]]`);
  process.exitCode = 2;
}
