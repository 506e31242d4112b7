import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));

/** @type {{ files: readonly string[] }} */
const { files } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

// Node runs no TypeScript below node_modules, so the packed examples are there as JavaScript too.
buildSync({
  absWorkingDir: root,
  entryPoints: globSync(
    files.filter((pattern) => pattern.startsWith('examples/')),
    { cwd: root, exclude: files.flatMap((pattern) => (pattern.startsWith('!examples/') ? [pattern.slice(1)] : [])) },
  ),
  outbase: 'examples',
  outdir: 'dist/examples',
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  // Its paths lead to the sources of the package.
  tsconfigRaw: {},
});
