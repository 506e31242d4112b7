import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { releaseChangelog } from '../../scripts/release-changelog.js';
import { version } from '../../src/core/version.ts';

const textOf = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

test('the version that requests announce is the one that is published', async () => {
  const manifest: unknown = JSON.parse(await textOf('package.json'));
  const lock: unknown = JSON.parse(await textOf('package-lock.json'));

  expect(manifest).toMatchObject({ version });
  expect(lock).toMatchObject({ version, packages: { '': { version } } });
});

test('the changelog begins with what is unreleased, then this version, and every version has its day', async () => {
  const headings = (await textOf('CHANGELOG.md')).match(/^## .*/gm) ?? [];

  expect(headings[0]).toBe('## [Unreleased]');
  expect(headings[1]).toContain(`## [${version}] - `);
  expect(headings.slice(1).filter((heading) => !/^## \[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/.test(heading))).toEqual(
    [],
  );
});

test('what a changelog says of a version is in the groups that Keep a Changelog knows', async () => {
  const groups = new Set((await textOf('CHANGELOG.md')).match(/^### .*/gm));
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'].map((name) => `### ${name}`);

  expect([...groups].filter((group) => !known.includes(group))).toEqual([]);
});

test('a release gives what is unreleased its heading', () => {
  const before =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- B.\n\n## [0.1.0] - 2026-01-01\n\n### Added\n\n- A.\n';

  expect(releaseChangelog(before, { version: '0.2.0', date: '2026-02-01' })).toBe(
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-01\n\n### Added\n\n- B.\n\n## [0.1.0] - 2026-01-01\n\n### Added\n\n- A.\n',
  );
});

test('a release that is prepared twice has each group once', () => {
  const before =
    '# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- C.\n\n### Added\n\n- B.\n\n## [0.2.0] - 2026-01-31\n\n### Added\n\n- A.\n';

  expect(releaseChangelog(before, { version: '0.2.0', date: '2026-02-01' })).toBe(
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-01\n\n### Added\n\n- B.\n- A.\n\n### Fixed\n\n- C.\n',
  );
});
