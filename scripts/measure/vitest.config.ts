import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import root, { unitTests } from '../../vitest.config.ts';

/** The library that is replaced; empty for a run as things are. */
const library = process.env.STUBBED_LIBRARY ?? '';

const importsOfSource = /\/src\/[^?]*$/;

/** Replaces a library in src only: what a test itself imports stays real. */
const stub = (specifiers: readonly string[]): Plugin => ({
  name: `stub ${library}`,
  enforce: 'pre',
  resolveId: (specifier, importer = '') =>
    specifiers.includes(specifier) && importsOfSource.test(importer)
      ? fileURLToPath(new URL(`stubs/${specifiers[0]}.ts`, import.meta.url))
      : undefined,
});

/** A second copy of zod for src, whose parsing takes every value as it is; `toJSONSchema` and the rest stay. */
const acceptEverything: Plugin = {
  name: 'stub zod',
  enforce: 'pre',
  async resolveId(specifier, importer = '') {
    const isOfSource = /^zod(\/|$)/.test(specifier) && importsOfSource.test(importer);
    if (!isOfSource && !importer.endsWith('?accepts')) return undefined;
    const found = await this.resolve(specifier, importer.replace('?accepts', ''), { skipSelf: true });
    return found && `${found.id}?accepts`;
  },
  transform: (code, id) => {
    if (!id.endsWith('/core/parse.js?accepts')) return undefined;
    const run = 'schema._zod.run({ value, issues: [] }, ctx)';
    if (!code.includes(run)) throw new Error('zod parses in another way now: the stub has to follow');
    return code.replaceAll(run, '({ value, issues: [] })');
  },
};

const plugins: Readonly<Record<string, Plugin>> = {
  ky: stub(['ky']),
  'p-retry': stub(['p-retry']),
  'p-throttle': stub(['p-throttle']),
  opossum: stub(['opossum', '#opossum']),
  zod: acceptEverything,
};

const plugin = plugins[library];
if (library !== '' && !plugin) throw new Error(`There is no stub for ${library}`);

export default defineConfig({
  plugins: plugin ? [plugin] : [],
  resolve: root.resolve ?? {},
  test: {
    ...unitTests,
    reporters: [['json', { outputFile: process.env.STUBBED_REPORT ?? 'report.json' }]],
    server: { deps: { inline: [/\?accepts$/] } },
    // A test that waits for what no longer comes has failed.
    testTimeout: 3_000,
    isolate: false,
  },
});
