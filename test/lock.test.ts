import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface LockEntry {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The project's own, and those of the packages that only some tests, benchmarks and the documentation site need. */
const locks = [
  '../package-lock.json',
  './providers/package-lock.json',
  './platforms/package-lock.json',
  './mutation/package-lock.json',
  './runtimes/package-lock.json',
  '../bench/peers/package-lock.json',
  '../site/package-lock.json',
  '../examples/backends/package-lock.json',
];

const entriesOf = async (path: string) => {
  // The lock is written by npm, whose format this is.
  const lock = JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8')) as Lock;
  return Object.entries(lock.packages);
};

const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

// npm leaves out platform packages that the registry does not have yet, and then `npm ci` refuses its own lock:
// https://github.com/npm/cli/issues/4828
test.each(locks)('%s installs on every platform: each optional package of a package is in it', async (path) => {
  const all = await entriesOf(path);
  const names = new Set(all.map(([place]) => nameOf(place)));

  const missing = all.flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).flatMap((name) => (names.has(name) ? [] : [`${place} needs ${name}`])),
  );

  expect(missing).toEqual([]);
});

test.each(locks)('%s installs from any registry: it names hashes and no addresses', async (path) => {
  const installed = (await entriesOf(path)).filter(([place]) => place !== '');

  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
});
