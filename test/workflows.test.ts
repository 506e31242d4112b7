import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

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
