import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** What works with an older version than the tests install, and with which. */
const triedWithOlder: Readonly<Record<string, string>> = { ai: '6.0', '@livekit/agents': '1.5.0' };

test('the page names the versions that the provider tests install', async () => {
  const page = await readFile(new URL('../../../docs/tools.md', import.meta.url), 'utf8');
  const manifest: { devDependencies: Record<string, string> } = JSON.parse(
    await readFile(new URL('../../providers/package.json', import.meta.url), 'utf8'),
  );
  const rows = [...page.matchAll(/^\| `([\w@/-]+)` \| ([\d.]+) \| ([\d.]+(?: and [\d.]+)?) \|$/gm)];
  const { devDependencies: installed } = manifest;
  const olderLine = installed['ai-6']?.replace('npm:ai@', '');

  expect(rows.length).toBeGreaterThan(10);
  for (const [, name = '', oldest, proven] of rows)
    expect({ name, oldest, proven }).toEqual({
      name,
      oldest: triedWithOlder[name] ?? installed[name],
      proven: name === 'ai' ? `${olderLine} and ${installed[name]}` : installed[name],
    });
});
