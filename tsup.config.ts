import { fileURLToPath } from 'node:url';
import { defineConfig } from 'tsup';
import { subpaths } from './scripts/subpaths.js';

const entries = Object.fromEntries(subpaths.map(({ entry, source }) => [entry, fileURLToPath(source)]));

/** Started by their path, from the file beside them. */
const threads = { 'stores/sqlite/worker': 'src/stores/sqlite/worker.ts' };

/** What `bin` of package.json names. */
const programs = { 'cli/main': 'src/cli/main.ts' };

export default defineConfig({
  entry: { ...entries, ...threads, ...programs },
  format: ['esm'],
  target: 'node22',
  dts: { entry: entries },
  clean: true,
  sourcemap: true,
  // Without it tsup writes "crypto" for "node:crypto", which does not bundle for Workers.
  removeNodeProtocol: false,
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
});
