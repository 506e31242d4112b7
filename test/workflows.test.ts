import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const folder = new URL('../.github/workflows/', import.meta.url);

/** The jobs of a workflow, by their names; a job begins at two spaces. */
const jobsIn = (file: string): Readonly<Record<string, string>> => {
  const [, jobs = ''] = readFileSync(new URL(file, folder), 'utf8').split(/^jobs:\n/m);
  const parts = jobs.split(/^ {2}(?=[\w-]+:\n)/m).filter((part) => /^[\w-]+:\n/.test(part));
  return Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf(':')), part]));
};

const files = readdirSync(folder);

test.each(files)('%s uses no action that can change under its name', (file) => {
  const used = [...readFileSync(new URL(file, folder), 'utf8').matchAll(/uses: (.*)/g)].map(([, action]) => action);

  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? ''))).toEqual([]);
});

test('what ends is checked by the release and once a week, and by no test', () => {
  const textOf = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> };
  const callers = Object.entries(scripts).filter(([, script]) => /check:ends|test:live/.test(script));

  expect(files.filter((file) => textOf(`.github/workflows/${file}`).includes('npm run check:ends'))).toEqual([
    'ends.yml',
    'release.yml',
  ]);
  expect(textOf('.github/workflows/ends.yml')).toContain('schedule:');
  expect(textOf('.ci/run')).not.toMatch(/check:ends|test:live/);
  expect(callers).toEqual([]);
});

/** The commands of a workflow, one for each value of a job's matrix. */
const commandsIn = (file: string): readonly string[] => {
  interface Job {
    readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
    readonly steps: readonly { readonly run?: string }[];
  }
  const { jobs } = parse(readFileSync(new URL(file, folder), 'utf8')) as { jobs: Readonly<Record<string, Job>> };
  return Object.values(jobs).flatMap(({ strategy, steps }) => {
    const [[name, values] = ['', ['']]] = Object.entries(strategy?.matrix ?? {});
    return values.flatMap((value) =>
      steps.flatMap(({ run = '' }) => run.replace(`\${{ matrix.${name} }}`, String(value)).replace('--  ', '-- ')),
    );
  });
};

test('the jobs of CI run what .ci/run runs on one machine', () => {
  const checks = /^(npm test|npm run (?!.*install).*|npm install --no-save .*)$/;
  const ofJobs = commandsIn('ci.yml').filter((command) => checks.test(command));
  const ofScript = readFileSync(new URL('../.ci/run', import.meta.url), 'utf8')
    .split('\n')
    // A suite in the background prints its output at its end. The older Node runs a part.
    .map((line) => line.replace(/ >"\$log" 2>&1 &$| -- test\/.*$/, ''))
    .filter((line) => checks.test(line));

  // The machine has Node 24 from the lock.
  expect(new Set(ofJobs)).toEqual(new Set([...ofScript, 'npm install --no-save --no-audit --no-fund node@24']));
  expect(ofScript.length).toBeGreaterThan(10);
});

describe('a job that may mint a token', () => {
  const jobs = files.flatMap((file) =>
    Object.entries(jobsIn(file)).map(([name, text]) => [`${file}: ${name}`, text] as const),
  );
  const minting = jobs.filter(([, text]) => text.includes('id-token: write'));

  test('is one of two', () => {
    expect(minting.map(([name]) => name).toSorted()).toEqual(['release.yml: publish', 'site.yml: publish']);
  });

  test.each(minting)('%s runs no code of this repository and of no dependency', (_, text) => {
    const runs = [...text.matchAll(/run: (.*)/g)].map(([, command]) => command);

    expect(text).not.toContain('actions/checkout');
    expect(runs.filter((command) => !command?.includes('--ignore-scripts'))).toEqual([]);
  });

  test('is never what a whole workflow may', () => {
    for (const file of files)
      expect(readFileSync(new URL(file, folder), 'utf8')).toMatch(/^permissions: { contents: read }$/m);
  });
});
