import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { subpaths } from './scripts/subpaths.js';

const alias = subpaths.map(({ specifier, source }) => ({
  find: new RegExp(`^${specifier}$`),
  replacement: fileURLToPath(source),
}));

/** What users have: the packed package, or programs that run on the built files, which start in half the time. */
const needsTheBuild = [
  'test/{closed-words,package,type-checking}.test.ts',
  'test/getting-started/*.test.ts',
  'test/dev/cli/{console,dead-letters,processes,tools-serve}.test.ts',
  'test/{demo,examples,voice-platforms}.test.ts',
  'test/pages{,.server}.test.ts',
];
const killsProcesses = ['test/{outbox,webhooks,stores/sqlite}/crash.test.ts'];
const needsServers = ['test/*/**/*.server.test.ts', 'test/bull-board.server.test.ts'];
const needsABrowser = ['test/**/*.browser.test.ts'];
/** Files that compile what they check, or run many commands. */
const startsProcesses = [
  'test/dev/cli/doctor/doctor.test.ts',
  'test/dev/cli/init-api{,-odd}.test.ts',
  'test/{docs,docstrings}.test.ts',
  'test/front-door/{backends,check-at-start,hovers,programs}.test.ts',
  'test/examples/evals.test.ts',
  'test/http/client.process.test.ts',
  'test/scripts/from-source.test.ts',
];

/** Everything that needs no build, no servers and no processes of its own. */
export const unitTests = {
  include: ['test/**/*.test.ts'],
  // Loading the same modules for each of 360 files took longer than the tests.
  isolate: false,
  setupFiles: ['test/support/real-time.ts', 'test/support/quiet-warnings.ts'],
  exclude: [
    ...configDefaults.exclude,
    'test/{providers,platforms,runtimes,starters}/**',
    ...needsTheBuild,
    ...startsProcesses,
    ...killsProcesses,
    ...needsServers,
    ...needsABrowser,
  ],
};

/** For what hangs. A busy machine is no failure. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, teardownTimeout: 60_000 };

// Each file has a process of its own, which loads the same packages: Node compiles them once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

export default defineConfig({
  resolve: { alias },
  test: {
    ...patience,
    reporters: ['default', './scripts/closing-line.ts'],
    // Vitest leaves one processor idle, which is half of two.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          ...unitTests,
          typecheck: {
            enabled: true,
            // Several times as fast as TypeScript 6, which `npm run typecheck` runs too.
            checker: fileURLToPath(new URL('node_modules/typescript-7/bin/tsc', import.meta.url)),
            tsconfig: 'test/types/tsconfig.json',
            include: ['test/types/**/*.test-d.ts'],
            ignoreSourceErrors: true,
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: needsTheBuild,
          globalSetup: 'test/support/packed.ts',
        },
      },
      { extends: true, test: { name: 'crash', include: killsProcesses } },
      { extends: true, test: { name: 'servers', include: needsServers } },
      { extends: true, test: { name: 'browser', include: needsABrowser } },
      { extends: true, test: { name: 'examples', include: startsProcesses } },
    ],
    coverage: { provider: 'v8', include: ['src/**'] },
  },
});
