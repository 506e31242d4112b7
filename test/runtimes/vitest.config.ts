import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** `npm run test:runtimes`: the packed package on Bun, Deno and workerd, which are installed here alone. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    globalSetup: './install.ts',
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
