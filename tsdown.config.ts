import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type UserConfig } from 'tsdown';
import { subpaths } from './scripts/subpaths.js';

const entries = Object.fromEntries(subpaths.map(({ entry, source }) => [entry, fileURLToPath(source)]));

/** Started by their path, from the file next to them. */
const threads = { 'stores/sqlite/worker': 'src/stores/sqlite/worker.ts' };

/** The programs in `bin` of package.json. */
const programs = { 'dev/cli/main': 'src/dev/cli/main.ts' };

/** The files of the console's page are inside the code, which then needs no other file. */
const consolePage: UserConfig['plugins'] = {
  name: 'console-page',
  load: {
    filter: { id: /src[/\\]dev[/\\]console[/\\]read-page\.ts$/ },
    handler: () => {
      const folder = new URL('src/dev/console/page/', import.meta.url);
      const files = readdirSync(folder).filter((file) => !file.endsWith('.json'));
      const texts = Object.fromEntries(files.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));
      return `const texts = ${JSON.stringify(texts)};\nexport const readPage = (file) => texts[file];`;
    },
  },
};

const shared = { test: /[/\\]src[/\\](?!dev[/\\])/, minShareCount: Math.round(subpaths.length / 5) };

interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** Returns whether a file, or one that it imports, needs a module of Node: Cloudflare Workers have none by default. */
const needsNode = (id: string, modules: Modules, seen = new Set<string>()): boolean => {
  if (id.startsWith('node:')) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return modules.getModuleInfo(id)?.importedIds.some((imported) => needsNode(imported, modules, seen)) ?? false;
};

const common: UserConfig = {
  format: 'esm',
  target: 'node22',
  fixedExtension: false,
  clean: false,
  logLevel: 'warn',
  treeshake: { moduleSideEffects: false },
  checks: { bundlerTimings: false },
  // Left to the runtime or bundler: package.json says which file it is on which runtime.
  deps: { neverBundle: ['#opossum'] },
};

export default defineConfig([
  {
    ...common,
    clean: true,
    entry: { ...entries, ...threads, ...programs },
    dts: false,
    plugins: [consolePage],
    outputOptions: {
      comments: { annotation: true, jsdoc: false, legal: false },
      // Node takes about 0.4 ms for each file of an import: what every fifth subpath needs is two files.
      codeSplitting: {
        groups: [
          { ...shared, name: (id, modules) => (needsNode(id, modules) ? null : 'core'), priority: 1 },
          { ...shared, name: 'core-on-node' },
        ],
      },
    },
  },
  { ...common, entry: entries, dts: { emitDtsOnly: true } },
]);
