/**
 * `npm run measure` prints what the house is measured by, with goals and limits, and fails where a number is above its
 * limit; `-- --update` lowers limits to what is measured, and never raises one; `-- places` lists what is behind the
 * numbers; `-- words` lists the words of each page and the sentences that are too long.
 * `npm run measure -- libraries` replaces each library by a stub and counts the tests that fail, which takes
 * minutes; `npm run measure -- libraries ky test/billing` does it for one library and one folder of tests.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Goals, loweredLimits, rowsOf } from './measure/goals.ts';
import { measureLibraries } from './measure/libraries.ts';
import { type Measures, measureSource, placesBehind } from './measure/source.ts';
import type { Ways } from './measure/ways.ts';
import { longSentences, measureWords, wordsOfPages } from './measure/words.ts';

const root = new URL('../', import.meta.url);
const goalsFile = new URL('measure/goals.json', import.meta.url);

const countWays = async (): Promise<Measures> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', './scripts/from-source.js', 'scripts/measure/ways.ts'],
    { cwd: fileURLToPath(root) },
  );
  // ways.ts has just written it.
  const { payment, paymentTool } = JSON.parse(stdout) as Ways;
  return {
    'files that run for billing.payments.create': payment.files,
    'files that run for the payment tool': paymentTool.files,
  };
};

const measure = async (isUpdate: boolean): Promise<void> => {
  const [source, ways] = await Promise.all([measureSource(root), countWays()]);
  const measures = { ...source, ...ways, ...measureWords(root) };
  // The file is ours.
  const goals = JSON.parse(readFileSync(goalsFile, 'utf8')) as Goals;
  const rows = rowsOf(measures, goals);
  console.table(rows);
  console.log('Core is src without dev. Time, memory and bytes: npm run bench -- budgets');
  if (isUpdate) writeFileSync(goalsFile, `${JSON.stringify(loweredLimits(measures, goals), undefined, 2)}\n`);
  const above = Object.keys(rows).filter((name) => rows[name]?.result === 'above its limit');
  if (above.length === 0) return;
  console.error(`Above the limit: ${above.join('; ')}. Make it simpler. A commit that raises a limit in`);
  console.error(
    'scripts/measure/goals.json says by how much and what for. What is behind it: npm run measure -- places',
  );
  process.exitCode = 1;
};

const [command, ...rest] = process.argv.slice(2);
if (command === undefined || command === '--update') await measure(command === '--update');
else if (command === 'places') console.log(JSON.stringify(await placesBehind(root), undefined, 2));
else if (command === 'words') {
  console.table(wordsOfPages(root));
  console.table(longSentences(root));
} else if (command === 'libraries') await measureLibraries(root, rest);
else {
  console.error(
    `There is no "${command}". Use: npm run measure [-- --update | places | words | libraries [NAME] [FOLDER ...]]`,
  );
  process.exitCode = 2;
}
