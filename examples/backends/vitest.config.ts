import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import root from '../../vitest.config.ts';

/** `npm run test:backends`: each backend as a process, with its platform and model on loopback. */
export default mergeConfig(
  { resolve: root.resolve },
  defineConfig({
    root: fileURLToPath(new URL('.', import.meta.url)),
    test: {
      maxWorkers: '100%',
      include: ['*/*.test.ts'],
      globalSetup: './support/install.ts',
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // A test that goes out to the internet by mistake fails.
      env: { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' },
    },
  }),
);
