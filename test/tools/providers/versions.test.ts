import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** What was tried with an older version than the tests install, and with which. */
const triedWithOlder: Readonly<Record<string, string>> = { '@livekit/agents': '1.5.0' };

test('the page names the oldest versions that npm takes', async () => {
  const page = await readFile(new URL('../../../docs/targets.md', import.meta.url), 'utf8');
  const { peerDependencies }: { peerDependencies: Record<string, string> } = JSON.parse(
    await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  const floors = [...page.matchAll(/`([\w@/-]+)` before ([\d.]+\d|\d)/g)];

  expect(floors.length).toBe(4);
  for (const [, name = '', floor] of floors)
    expect({ name, floor: peerDependencies[name] }).toEqual({ name, floor: `>=${floor}` });
});

test('the page names the versions that the provider tests install', async () => {
  const page = await readFile(new URL('../../../docs/targets.md', import.meta.url), 'utf8');
  const manifest: { devDependencies: Record<string, string> } = JSON.parse(
    await readFile(new URL('../../providers/package.json', import.meta.url), 'utf8'),
  );
  const rows = [...page.matchAll(/^- `([\w@/-]+)` ([\d.]+(?: and [\d.]+)?)$/gm)];
  const { devDependencies: installed } = manifest;
  const older = { ...triedWithOlder, ai: installed['ai-6']?.replace('npm:ai@', '') };

  expect(rows.length).toBeGreaterThan(10);
  for (const [, name = '', tested] of rows) {
    const before = Reflect.get(older, name);
    expect({ name, tested }).toEqual({ name, tested: before ? `${before} and ${installed[name]}` : installed[name] });
  }
});
