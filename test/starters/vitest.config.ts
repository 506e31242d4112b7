import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** `npm run test:starters`: what the command create writes, with the packages that it names, built and run. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    globalSetup: './install.ts',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A test that goes out to the internet by mistake fails.
    env: { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' },
  },
});
