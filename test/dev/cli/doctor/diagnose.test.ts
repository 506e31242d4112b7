import { mkdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { checkPackages } from '../../../../src/dev/cli/doctor/diagnose.ts';
import { makeScratchFolder } from '../../../support/scratch-folder.ts';

const check = async (installed: Readonly<Record<string, string>>) => {
  await using folder = await makeScratchFolder();
  for (const [name, version] of Object.entries(installed)) {
    await mkdir(folder.file(`node_modules/${name}`), { recursive: true });
    await writeFile(folder.file(`node_modules/${name}/package.json`), JSON.stringify({ name, version }));
  }
  // As in a workspace, whose packages are in a folder above.
  await mkdir(folder.file('apps/agent'), { recursive: true });
  return checkPackages(folder.file('apps/agent'));
};

test('a package that is too old is named, with the version to install', async () => {
  expect(await check({ ai: '5.0.277', '@livekit/agents': '1.4.9', '@mastra/core': '1.20.0' })).toEqual([
    {
      level: 'problem',
      about: 'packages',
      check: 'version',
      message: '@livekit/agents 1.4.9 is installed, and 1.5 or newer is needed',
      fix: 'npm install @livekit/agents@latest',
    },
    {
      level: 'problem',
      about: 'packages',
      check: 'version',
      message: 'ai 5.0.277 is installed, and 6 or newer is needed',
      fix: 'npm install ai@latest',
    },
  ]);
});

test.each([
  ['nothing else', {}],
  ['the oldest that work', { ai: '6.0.0', '@modelcontextprotocol/sdk': '1.25.0', undici: '8.0.0' }],
  ['newer ones', { ai: '10.0.0-beta.1', '@modelcontextprotocol/sdk': '2.1.0' }],
])('%s is fine', async (_what, installed) => {
  expect(await check(installed)).toEqual([]);
});
