import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { subpaths } from '../../scripts/subpaths.js';

/** `npm run test:platforms`: the vendors' descriptions and clients, which the tests of the project do without. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // What `init api` writes imports the package by its name.
  resolve: {
    // Of the examples that are tested here.
    dedupe: ['@restatedev/restate-sdk'],
    alias: subpaths.map(({ specifier, source }) => ({
      find: new RegExp(`^${specifier}$`),
      replacement: fileURLToPath(source),
    })),
  },
  test: { include: ['**/*.test.ts'], globalSetup: './install.ts', testTimeout: 30_000, hookTimeout: 30_000 },
});
