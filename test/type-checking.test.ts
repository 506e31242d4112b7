import { globSync } from 'node:fs';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { subpaths } from '../scripts/subpaths.js';
import { npmInstall, readManifest } from './support/pack-package.ts';
import { quickInfoOf } from './support/quick-info.ts';
import { runCommand } from './support/run-command.ts';
import { makeScratchFolder, type ScratchFolder } from './support/scratch-folder.ts';

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

let folder: ScratchFolder;
beforeAll(async () => {
  folder = await makeScratchFolder();
  const { devDependencies } = await readManifest();
  await cp(inRoot('test/consumer/uses'), folder.path, { recursive: true });
  await writeFile(folder.file('package.json'), '{ "private": true, "type": "module" }');
  await npmInstall(folder.path, [inject('tarball'), `@types/node@${devDependencies['@types/node']}`]);
});
afterAll(() => folder.remove());

/** What the compiler does for one file of `test/consumer/uses`, beyond the language and Node; the same on each machine. */
describe.each(['typescript', 'typescript-7'])('%s checks a consumer with little work', (compiler) => {
  const costOf = async (use: string) => {
    const tsc = [inRoot(`node_modules/${compiler}/bin/tsc`), '--noEmit', '--extendedDiagnostics', '--strict'];
    const settings = [
      '--skipLibCheck',
      '--target',
      'es2023',
      '--lib',
      'es2023',
      '--types',
      'node',
      '--module',
      'nodenext',
    ];
    const printed = await runCommand(process.execPath, [...tsc, ...settings, `${use}.ts`], { cwd: folder.path });
    const numberOf = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(printed)?.[1]);
    return {
      files: numberOf('Files'),
      types: numberOf('Types'),
      instantiations: numberOf('Instantiations'),
      memoryMb: numberOf('Memory used') / 1024,
      checkSeconds: numberOf('Check time'),
    };
  };

  let nothing: Awaited<ReturnType<typeof costOf>>;
  beforeAll(async () => {
    nothing = await costOf('nothing');
  });

  test.each(['root', 'tools', 'webhooks'])('%s', async (use) => {
    const cost = await costOf(use);
    const types = cost.types - nothing.types;
    const memoryMb = Math.round(cost.memoryMb - nothing.memoryMb);
    const told = `${use}: ${cost.files - nothing.files} files, ${types} types, ${cost.instantiations} instantiations`;
    console.log(`${told}, ${memoryMb} MB, ${cost.checkSeconds} s of checking`);

    expect(types).toBeGreaterThan(0);
    expect(types).toBeLessThan(1_000);
    expect(cost.instantiations).toBeLessThan(1_000);
  });
});

test('the programs of the front door compile', async () => {
  // What they import next to the package.
  for (const name of ['openai', 'hono', '@hono', '@modelcontextprotocol'])
    await symlink(inRoot(`node_modules/${name}`), folder.file(`node_modules/${name}`));
  const programs = globSync('[01]*.ts', { cwd: inRoot('test/front-door') });
  for (const program of programs) await cp(inRoot(`test/front-door/${program}`), folder.file(program));
  const strict = ['noUncheckedIndexedAccess', 'exactOptionalPropertyTypes', 'noPropertyAccessFromIndexSignature'];
  const flags = ['noEmit', 'skipLibCheck', 'strict', ...strict].map((name) => `--${name}`);
  const settings = [
    '--target',
    'es2023',
    '--lib',
    'es2024,esnext.disposable',
    '--module',
    'nodenext',
    '--types',
    'node',
  ];

  expect(programs).toHaveLength(9);
  const tsc = inRoot('node_modules/typescript-7/bin/tsc');
  expect(await runCommand(process.execPath, [tsc, ...flags, ...settings, ...programs], { cwd: folder.path })).toBe('');
});

test('an editor shows names, and no type that has to be worked out', () => {
  // They need the types of their peers.
  const specifiers = subpaths
    .map(({ specifier }) => specifier)
    .filter((specifier) => !/\/(?:msw|bullmq)$/.test(specifier));
  const all = quickInfoOf(folder.path, specifiers);

  const unreadable = all.flatMap(({ specifier, name, shown }) =>
    shown.filter((text) => isWorkedOut.test(text)).map((text) => `${specifier} ${name}: ${text}`),
  );
  expect(all.length).toBeGreaterThan(100);
  expect(unreadable).toEqual([]);
});

/** A conditional type, or `any`. A type over the names that a caller gives is shown with these names. */
const isWorkedOut = / extends [^,>]+ \? |\binfer \w|(?<!['"\w-])any\b(?!['"\w:-])/;
