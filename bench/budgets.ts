import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { runCommand } from '../test/support/run-command.ts';
import { makeScratchFolder } from '../test/support/scratch-folder.ts';
import { heading, table } from './report.ts';

/** Something that may not grow beyond a bound. */
export interface Budget {
  readonly name: string;
  readonly found: number;
  /** What was aimed at; see bench/README.md. */
  readonly aim: number;
  /** Beyond it the bench fails. */
  readonly bound: number;
  readonly unit: string;
}

const name = 'voice-agent-integrations';
const root = fileURLToPath(new URL('../', import.meta.url));

/** The CPU of an import, relative to that of the packages that users would otherwise combine themselves. */
const imports: readonly { readonly subpath: string; readonly aim: number; readonly bound: number }[] = [
  { subpath: '', aim: 1.4, bound: 1.9 },
];

const stack = ['ky', 'zod', 'p-retry', 'p-throttle', 'opossum'].map((specifier) => `import '${specifier}';`).join('');

/** Bundles for Node, minified and compressed with gzip -9; what is a peer is left out. */
const bundles: readonly {
  readonly what: string;
  readonly code: string;
  readonly aim: number;
  readonly bound: number;
}[] = [
  {
    what: 'billing and tools',
    code: `export * from '${name}/billing'; export * from '${name}/tools';`,
    aim: 70,
    bound: 165,
  },
  { what: 'to compare: ky, zod, p-retry, p-throttle and opossum', code: '', aim: Infinity, bound: Infinity },
];

/** Packs the project as it is, installs it as a user would, and measures that. */
export const measureBudgets = async (processes: number): Promise<readonly Budget[]> => {
  await using scratch = await makeScratchFolder();
  const packed = await runCommand('npm', ['pack', '--pack-destination', scratch.path, '--json'], {
    cwd: root,
    timeoutMs: 300_000,
  });
  const file = /"filename": "([^"]+)"/.exec(packed)?.[1] ?? '';
  const install = ['install', '--no-audit', '--no-fund', '--omit=dev', '--omit=peer', '--prefer-offline', `./${file}`];
  await runCommand('npm', ['init', '--yes'], { cwd: scratch.path });
  await runCommand('npm', install, { cwd: scratch.path, timeoutMs: 120_000 });
  return [...(await measureImports(scratch.path, processes)), ...(await measureBundles(scratch.path))];
};

/** The lowest of several fresh processes, in turns: noise only adds. */
const measureImports = async (folder: string, processes: number): Promise<readonly Budget[]> => {
  const lowest = new Map<string, number>();
  const measure = async (what: string, code: string, cwd: string) => {
    const cpuMs = Number(await runCommand(process.execPath, ['--input-type=module', '--eval', timed(code)], { cwd }));
    lowest.set(what, Math.min(lowest.get(what) ?? Infinity, cpuMs));
  };
  for (let round = 0; round < processes; round += 1) {
    await measure('stack', stack, root);
    for (const { subpath } of imports) await measure(subpath, `import '${name}${subpath}';`, folder);
  }
  const stackMs = lowest.get('stack') ?? Number.NaN;
  return imports.map(({ subpath, aim, bound }) => ({
    name: `import of ${name}${subpath}, ${lowest.get(subpath)?.toFixed(1)} ms, to the stack, ${stackMs.toFixed(1)} ms`,
    found: (lowest.get(subpath) ?? Number.NaN) / stackMs,
    aim,
    bound,
    unit: '',
  }));
};

/** Imports that are written down run first, therefore as dynamic ones. */
const timed = (code: string): string => `
  const before = process.cpuUsage();
  ${code.replaceAll(/import ('[^']+');/g, 'await import($1);')}
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1000);`;

const measureBundles = async (folder: string): Promise<readonly Budget[]> => {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const external = Object.keys((manifest as { readonly peerDependencies: object }).peerDependencies);
  const budgets: Budget[] = [];
  for (const { what, code, aim, bound } of bundles) {
    const isStack = code === '';
    const { outputFiles } = await build({
      stdin: { contents: isStack ? stackUse : code, resolveDir: isStack ? root : folder },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      external,
      write: false,
      logLevel: 'error',
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
    budgets.push({ name: `bundle of ${what}`, found: bytes / 1_000, aim, bound, unit: ' KB' });
  }
  return budgets;
};

const stackUse = `import ky from 'ky'; import * as z from 'zod'; import pRetry from 'p-retry';
  import pThrottle from 'p-throttle'; import Opossum from 'opossum';
  export const all = [ky, z.object({ id: z.string() }), pRetry, pThrottle, Opossum];`;

/** Says which bounds are passed. */
export const budgetGate = (budgets: readonly Budget[], print: (line: string) => void): boolean => {
  const over = budgets.filter(({ found, bound }) => !(found <= bound));
  for (const { name: what, found, bound, unit } of over)
    print(`${what}: ${found.toFixed(2)}${unit} is beyond its bound of ${bound}${unit}`);
  return over.length === 0;
};

export const budgetReport = (budgets: readonly Budget[], command: string): string =>
  [
    heading(command),
    '',
    table(
      ['', 'found', 'aim', '', 'fails beyond'],
      budgets.map(({ name: what, found, aim, bound, unit }) => [
        what,
        `${found.toFixed(2)}${unit}`,
        aim === Infinity ? '' : `${aim}${unit}`,
        aim === Infinity ? '' : found <= aim ? 'reached' : '**not reached**',
        bound === Infinity ? '' : `${bound}${unit}`,
      ]),
    ),
    '',
  ].join('\n');
