/**
 * `npm run test:mutation -- outbox` changes src/outbox in small ways, one at a time, and lists the changes that no test
 * notices. `--files src/outbox/decide.ts` takes less of it, `--share 0.25 --seed 1` a sample that can be drawn again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { installPackage } from '../support/install-package.ts';
import { type Report, scoreOf, survivorsIn } from './score.ts';
import { type Folder, folders, reportOf, type RunOptions, settingsFor } from './settings.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string' },
    share: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    incremental: { type: 'boolean', default: false },
  },
});
const folder = folders.find((name) => name === positionals[0]);

const run = async (options: RunOptions): Promise<void> => {
  await installPackage(new URL('.', import.meta.url));
  const settings = reportOf(options.folder, 'settings.json');
  await mkdir(dirname(settings), { recursive: true });
  await writeFile(settings, JSON.stringify(settingsFor(options), undefined, 2));

  const stryker = spawn(
    process.execPath,
    ['test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js', 'run', settings],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, MUTATION_SHARE: values.share, MUTATION_SEED: values.seed },
    },
  );
  const [code] = await once(stryker, 'exit');
  if (code !== 0) {
    process.exitCode = 1;
    return;
  }
  await print(options.folder);
};

const print = async (folder: Folder): Promise<void> => {
  // Stryker has just written it.
  const report = JSON.parse(await readFile(reportOf(folder, 'json'), 'utf8')) as Report;
  console.log(`\n${survivorsIn(report).join('\n')}\n`);
  console.table(
    Object.fromEntries(Object.entries(report.files).map(([file, { mutants }]) => [file, rounded(mutants)])),
  );
  console.table({ [folder]: rounded(Object.values(report.files).flatMap(({ mutants }) => mutants)) });
  console.log(`Every mutant in its place: ${reportOf(folder, 'html')}`);
};

const rounded = (mutants: Parameters<typeof scoreOf>[0]) => {
  const { percent, ...counts } = scoreOf(mutants);
  return { ...counts, score: `${percent.toFixed(1)} %` };
};

if (folder === undefined) {
  console.error(`Say which folder: ${folders.join(', ')}`);
  process.exitCode = 2;
} else {
  const { files, share, incremental } = values;
  await run({
    folder,
    share: Number(share),
    incremental,
    ...(files === undefined ? {} : { files: files.split(',') }),
  });
}
