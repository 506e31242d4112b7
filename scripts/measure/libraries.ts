import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const libraries = ['ky', 'zod', 'p-retry', 'p-throttle', 'opossum'] as const;
type Library = (typeof libraries)[number];

/** What calls an API, checks what comes and goes, pages through lists, or redrives. */
const defaultFolders = [
  'http',
  'api',
  'billing',
  'crm',
  'messaging',
  'tools',
  'phone-call',
  'interface-document',
  'outbox',
  'dev/cli/dead-letters',
];

const goal = 10;

/** Prints how many tests fail with a stub in place of each library: a library that does its job is missed by many. */
export const measureLibraries = async (root: URL, args: readonly string[]): Promise<void> => {
  const chosen = libraries.filter((library) => args.includes(library));
  const folders = args.filter((arg) => !libraries.some((library) => library === arg));
  const run = (library: Library | '') =>
    failedTests(root, library, folders.length > 0 ? folders : defaultFolders.map((folder) => `test/${folder}`));

  const failAnyway = new Set(await run(''));
  for (const library of chosen.length > 0 ? chosen : libraries) {
    const failed = (await run(library)).filter((name) => !failAnyway.has(name));
    console.log(`\n${library}: ${failed.length} tests fail without it (goal: at least ${goal}), such as`);
    console.log(
      spreadOver(failed, 5)
        .map((name) => `  ${name}`)
        .join('\n'),
    );
    if (failed.length < goal) process.exitCode = 1;
  }
};

const failedTests = async (root: URL, library: Library | '', filters: readonly string[]): Promise<string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'measure-'));
  try {
    const report = join(folder, 'report.json');
    const vitest = spawn(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--config',
        'scripts/measure/vitest.config.ts',
        '--root',
        '.',
        ...filters,
      ],
      {
        cwd: fileURLToPath(root),
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, STUBBED_LIBRARY: library, STUBBED_REPORT: report },
      },
    );
    await once(vitest, 'exit');
    // Vitest has just written it.
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
    return testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName }) => `${name.replace(fileURLToPath(root), '')}: ${fullName}`),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
};

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Some of them, from the first to the last. */
const spreadOver = <T>(all: readonly T[], count: number): T[] =>
  all.filter((_, index) => index % Math.ceil(all.length / count) === 0);
