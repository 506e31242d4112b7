import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.ts';

/** How the tests run against a mutant: the same tests and names of packages, without the projects and reporters. */
export default defineConfig({
  resolve: root.resolve ?? {},
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      // A process of its own does not hear which mutant is on; servers and browsers are slow.
      'test/**/{crash,client.process}.test.ts',
      'test/**/*.{server,browser}.test.ts',
      // Long, and chance would kill a mutant one week and not the next.
      'test/**/{client.random,properties}.test.ts',
    ],
    // A mutant that never answers is given up after this time.
    testTimeout: 3_000,
    // Most of a mutant's time would go into loading the same modules for each file of tests.
    isolate: false,
  },
});
