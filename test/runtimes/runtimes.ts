import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../support/run-command.ts';
import { bundleWorker, type Setting, startWorker } from './workerd.ts';

/** Something that runs JavaScript, in a folder in which the package is installed. */
export interface Runtime {
  readonly name: string;
  /** Those of these imports that do not load, each with the reason. */
  readonly refused: (folder: string, specifiers: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** What a program of `programs/` gives. */
  readonly run: (folder: string, program: string, surroundings: unknown) => Promise<unknown>;
}

const bin = (name: string) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));

const runsFiles = (name: string, command: string, args: readonly string[]): Runtime => ({
  name,
  refused: async (folder, specifiers) => {
    const printed = await runCommand(command, [...args, 'programs/import.ts', ...specifiers], { cwd: folder });
    // Written by that program.
    return new Map(JSON.parse(printed) as [string, string][]);
  },
  run: async (folder, program, surroundings) => {
    const words = ['programs/main.ts', program, JSON.stringify(surroundings)];
    return JSON.parse(await runCommand(command, [...args, ...words], { cwd: folder })) as unknown;
  },
});

const workers = (name: string, setting: Setting): Runtime => ({
  name,
  refused: async (folder, specifiers) => {
    const reasons = new Map<string, string>();
    for (const specifier of specifiers) {
      const file = `${specifier.replaceAll('/', '-')}.${setting}.js`;
      const code = `import * as all from '${specifier}'; export default { fetch: () => Response.json(Object.keys(all)) };`;
      try {
        await bundleWorker(code, folder, file);
        await using _ = await startWorker(join(folder, file), setting);
      } catch (error) {
        reasons.set(specifier, String(error));
      }
    }
    return reasons;
  },
  run: async (folder, program, surroundings) => {
    const file = `${program}.${setting}.js`;
    await bundleWorker(workerOf(program), folder, file);
    await using worker = await startWorker(join(folder, file), setting);
    const response = await fetch(worker.url, { method: 'POST', body: JSON.stringify(surroundings) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  },
});

const workerOf = (program: string) => `
  import { run } from './programs/${program}.ts';
  export default {
    fetch: async (request: Request) => {
      try {
        return Response.json(await run(await request.json()));
      } catch (error) {
        return new Response(String(error), { status: 500 });
      }
    },
  };
`;

/** In the order of the columns in docs/runtimes.md. */
export const runtimes: readonly Runtime[] = [
  runsFiles('Node', process.execPath, []),
  runsFiles('Bun', bin('bun'), []),
  runsFiles('Deno', bin('deno'), ['run', '--allow-all', '--no-check', '--no-remote']),
  workers('Workers', 'now'),
  workers('Workers, with the flag', 'flag'),
  workers('Workers, without', 'bare'),
];
