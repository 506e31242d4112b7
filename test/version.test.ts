import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { version } from '../src/version.ts';

test('the version that requests announce is the one that is published', async () => {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

  expect(manifest).toMatchObject({ version });
});

test('the changelog has an entry for this version', async () => {
  const changelog = await readFile(new URL('../CHANGELOG.md', import.meta.url), 'utf8');

  expect(changelog).toContain(`\n## [${version}]`);
});
