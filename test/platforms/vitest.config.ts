import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** `npm run test:platforms`: the vendors' descriptions and clients, which the tests of the project do without. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: { include: ['**/*.test.ts'], globalSetup: './install.ts', testTimeout: 30_000, hookTimeout: 30_000 },
});
