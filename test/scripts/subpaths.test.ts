import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import ts from 'typescript';
import { subpaths } from '../../scripts/subpaths.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The path of a file that is one of several targets, or for development: these have folders of their own. */
const inFolder = (name: string) =>
  name
    .replace(/^tools\//, 'tools/providers/')
    .replace(/^webhooks\//, 'webhooks/adapters/')
    .replace(/^transport\//, 'http/transport/')
    .replace(/^(console|testing)/, 'dev/$1');

test('every subpath is built from the source of its name', () => {
  for (const { specifier, entry, source } of subpaths) {
    const name = specifier.replace(/^voice-agent-integrations\/?/, '');

    expect(name === '' ? ['index'] : [name, `${name}/index`, inFolder(name), `${inFolder(name)}/index`]).toContain(
      entry,
    );
    expect(ts.sys.fileExists(fileURLToPath(source)), specifier).toBe(true);
  }
});

test('the type checker finds every subpath where the build does', () => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { compilerOptions } = config as { compilerOptions: object };
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root, 'tsconfig.json');

  for (const { specifier, source } of subpaths) {
    const { resolvedModule } = ts.resolveModuleName(specifier, join(root, 'examples/any.ts'), options, ts.sys);

    expect(pathToFileURL(resolvedModule?.resolvedFileName ?? '').href, specifier).toBe(source.href);
  }
});

test('each subpath has its types next to its code', async () => {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const exported = subpaths.map(({ specifier, entry }): [string, object] => [
    specifier.replace('voice-agent-integrations', '.'),
    { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` },
  ]);

  expect(manifest).toHaveProperty('exports', Object.fromEntries([...exported, ['./package.json', './package.json']]));
});
