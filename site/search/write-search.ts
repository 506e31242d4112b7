import { build } from 'esbuild';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SearchRecord } from './record.ts';

/**
 * Writes the search of a built site in the place of typedoc's: one classic script with its records, so that it also works
 * in pages that were opened as files.
 */
export const writeSearch = async (folder: string, records: readonly SearchRecord[]): Promise<void> => {
  await build({
    entryPoints: [fileURLToPath(new URL('in-the-page.ts', import.meta.url))],
    outfile: join(folder, 'assets/search.js'),
    banner: { js: `globalThis.searchRecords = ${JSON.stringify(records)};` },
    bundle: true,
    format: 'iife',
    target: 'es2023',
    minify: true,
    allowOverwrite: true,
  });
};
