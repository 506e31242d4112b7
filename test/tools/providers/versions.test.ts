import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('the page names the versions that the provider tests install', async () => {
  const page = await readFile(new URL('../../../docs/tools.md', import.meta.url), 'utf8');
  const manifest: { devDependencies: Record<string, string> } = JSON.parse(
    await readFile(new URL('../../providers/package.json', import.meta.url), 'utf8'),
  );
  const rows = [...page.matchAll(/^\| `([\w@/-]+)` \| (not known|[\d.]+) \| ([\d.]+(?: and [\d.]+)?) \|$/gm)];
  const { devDependencies: installed } = manifest;
  const olderLine = installed['ai-6']?.replace('npm:ai@', '');

  expect(rows.length).toBeGreaterThan(10);
  for (const [, name = '', , proven] of rows)
    expect({ name, proven }).toEqual({
      name,
      proven: name === 'ai' ? `${olderLine} and ${installed[name]}` : installed[name],
    });
});
