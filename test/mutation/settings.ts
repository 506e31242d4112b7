import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folders under src that are mutated; the tests that have to notice have the same name under test. */
export const folders = [
  'auth',
  'billing',
  'crm',
  'http',
  'messaging',
  'observability',
  'outbox',
  'phone-call',
  'tools',
  'webhooks',
] as const;
export type Folder = (typeof folders)[number];

export interface RunOptions {
  readonly folder: Folder;
  /** Only these files, or ranges of lines as in `src/outbox/decide.ts:20-40`. */
  readonly files?: readonly string[];
  /** The share of the mutants that is drawn. @defaultValue 1 */
  readonly share?: number;
  /** Take over what an earlier run found for mutants and tests that have not changed. */
  readonly incremental?: boolean;
}

export const reportOf = (folder: Folder, kind: string): string => `coverage/mutation/${folder}.${kind}`;

/** How many programs want each processor right now. */
export const crowding = (): number => Math.max(1, Math.ceil((loadavg()[0] ?? 0) / availableParallelism()));

/** The settings of Stryker: https://stryker-mutator.io/docs/stryker-js/configuration */
export const settingsFor = ({ folder, files, share = 1, incremental = false }: RunOptions) => ({
  plugins: ['@stryker-mutator/vitest-runner', './test/mutation/texts.ts', './test/mutation/sample.ts'],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  mutate: files ?? [`src/${folder}/**/*.ts`],
  testFiles: [`test/${folder}/**/*.test.ts`],
  ignorers: ['texts'],
  checkers: share < 1 ? ['sample'] : [],
  coverageAnalysis: 'perTest',
  // What runs while a file is loaded would need all tests and a fresh process for each mutant.
  ignoreStatic: true,
  // A busy machine must not pass a surviving mutant off as an endless one.
  timeoutFactor: 3,
  timeoutMS: 15_000 * crowding(),
  concurrency: 2,
  incremental,
  incrementalFile: reportOf(folder, `${share}.json`),
  tempDirName: join(tmpdir(), 'voice-agent-integrations-mutants'),
  ignorePatterns: ['dist', 'coverage'],
  reporters: ['progress-append-only', 'html', 'json'],
  htmlReporter: { fileName: reportOf(folder, 'html') },
  jsonReporter: { fileName: reportOf(folder, 'json') },
});
