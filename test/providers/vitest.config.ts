import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import root from '../../vitest.config.ts';

/** `npm run test:providers`: the packages of the providers, which the tests of the project do without. */
export default mergeConfig(
  { resolve: root.resolve },
  defineConfig({
    root: fileURLToPath(new URL('.', import.meta.url)),
    test: {
      maxWorkers: '100%',
      include: ['*.test.ts'],
      globalSetup: './install.ts',
      testTimeout: 30_000,
      // A test that goes out to the internet by mistake fails.
      env: { OPENAI_AGENTS_DISABLE_TRACING: '1', HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' },
    },
  }),
);
