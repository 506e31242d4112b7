import { fileURLToPath } from 'node:url';
import { defineConfig } from 'tsup';
import { subpaths } from './scripts/subpaths.js';

export default defineConfig({
  entry: Object.fromEntries(subpaths.map(({ entry, source }) => [entry, fileURLToPath(source)])),
  format: ['esm'],
  target: 'node22',
  dts: true,
  clean: true,
  sourcemap: true,
  // Without it tsup writes "crypto" for "node:crypto", which does not bundle for Workers.
  removeNodeProtocol: false,
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
});
