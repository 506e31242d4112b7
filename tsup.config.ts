import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Options } from 'tsup';
import { subpaths } from './scripts/subpaths.js';

const entries = Object.fromEntries(subpaths.map(({ entry, source }) => [entry, fileURLToPath(source)]));

/** Started by their path, from the file next to them. */
const threads = { 'stores/sqlite/worker': 'src/stores/sqlite/worker.ts' };

/** What `bin` of package.json names. */
const programs = { 'dev/cli/main': 'src/dev/cli/main.ts' };

/** The files of the console's page are inside the code, which then needs no other file. */
const consolePage: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'console-page',
  setup: ({ onLoad }) => {
    onLoad({ filter: /src[/\\]console[/\\]read-page\.ts$/ }, () => {
      const folder = new URL('src/dev/console/page/', import.meta.url);
      const files = readdirSync(folder).filter((file) => !file.endsWith('.json'));
      const texts = Object.fromEntries(files.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));
      return { contents: `const texts = ${JSON.stringify(texts)};\nexport const readPage = (file) => texts[file];` };
    });
  },
};

export default defineConfig({
  entry: { ...entries, ...threads, ...programs },
  format: ['esm'],
  target: 'node22',
  // Without it the order of the types in a union depends on which file is read first.
  dts: { entry: entries, compilerOptions: { stableTypeOrdering: true } },
  clean: true,
  // Left to the runtime or bundler: package.json says which file it is on which runtime.
  external: ['#opossum'],
  // Without it tsup writes "crypto" for "node:crypto", which does not bundle for Workers.
  removeNodeProtocol: false,
  esbuildPlugins: [consolePage],
});
