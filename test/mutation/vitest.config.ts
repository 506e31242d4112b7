import { statSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import root from '../../vitest.config.ts';
import { crowding } from './settings.ts';

const sizeOf = ({ moduleId }: TestSpecification) => statSync(moduleId).size;

/** The tests of one file before those of a whole, which take longer and notice many mutants only by a time-out. */
class ShortestFirst extends BaseSequencer {
  // Vitest asks for a class with promises.
  override sort = (files: TestSpecification[]): Promise<TestSpecification[]> =>
    Promise.resolve(files.toSorted((a, b) => sizeOf(a) - sizeOf(b)));
}

/** How the tests run against a mutant: the same tests and names of packages, without the projects and reporters. */
export default defineConfig({
  resolve: root.resolve ?? {},
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/real-time.ts'],
    exclude: [
      // A process of its own does not hear which mutant is on; servers and browsers are slow.
      'test/**/{crash,client.process}.test.ts',
      'test/**/*.{server,browser}.test.ts',
      // Long, and chance would kill a mutant one week and not the next.
      'test/**/{client.random,properties}.test.ts',
    ],
    sequence: { sequencer: ShortestFirst },
    // A mutant that never answers is given up after this time.
    testTimeout: 60_000 * crowding(),
    // Most of a mutant's time would go into loading the same modules for each file of tests.
    isolate: false,
  },
});
