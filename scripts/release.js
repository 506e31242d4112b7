/**
 * Run by `npm version`, and by hand with the version that package.json has: `node scripts/release.js 2026-11-21`.
 * Writes the version into the code, and gives what is under *Unreleased* its heading.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { releaseChangelog } from './release-changelog.js';

const root = new URL('../', import.meta.url);
const read = (/** @type {string} */ file) => readFileSync(new URL(file, root), 'utf8');

/** @type {{ version: string }} */
const { version } = JSON.parse(read('package.json'));
const [date = new Date().toISOString().slice(0, 10)] = process.argv.slice(2);

writeFileSync(
  new URL('src/core/version.ts', root),
  read('src/core/version.ts').replace(/(?<=version = )'.+'/, `'${version}'`),
);
writeFileSync(new URL('CHANGELOG.md', root), releaseChangelog(read('CHANGELOG.md'), { version, date }));
