import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { copiedFiles } from './copied-files.ts';
import { blocksOf } from './page-blocks.ts';
import { makeScratchFolder, type ScratchFolder } from './scratch-folder.ts';

const root = new URL('../../', import.meta.url);
const inRoot = (path: string) => fileURLToPath(new URL(path, root));

/** A block of commands that a reader would type. */
export interface Ran {
  readonly commands: string;
  /** Both outputs. */
  readonly printed: string;
  /** The output that the page shows below the commands, if any. */
  readonly shown: string | undefined;
}

export interface RunPageOptions {
  /** Added to what its shell has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Commands that the page names in its text. They are run after it. */
  readonly followedBy?: readonly string[];
  /** Waited for before what stays until Ctrl-C is ended. */
  readonly beforeTheEnd?: () => Promise<unknown>;
  /** The parts that a test can't use: addresses of others, ports that may be taken. */
  readonly replace?: Readonly<Record<string, string>>;
  /** The code of packages that aren't installed here, by their names. */
  readonly packages?: Readonly<Record<string, string>>;
}

/**
 * Does what a page says: copies the examples that it names, writes each block that names its file, and runs each block of commands in a shell,
 * in their order. The package is the one built here, so what installs is left out. A command that says it stays until Ctrl-C
 * stays until the end of the page. Rejects when a command fails.
 */
export const runPage = async (
  markdown: string,
  { env = {}, replace = {}, packages = {}, followedBy = [], beforeTheEnd }: RunPageOptions = {},
): Promise<readonly Ran[]> => {
  await using folder = await makeReadersFolder();
  for (const [name, code] of Object.entries(packages)) {
    await mkdir(folder.file(`node_modules/${name}`), { recursive: true });
    await writeFile(folder.file(`node_modules/${name}/package.json`), '{ "type": "module", "exports": "./index.js" }');
    await writeFile(folder.file(`node_modules/${name}/index.js`), code);
  }
  await using shells = new AsyncDisposableStack();
  const ran: Ran[] = [];
  const run = async (commands: string, shown?: string) => {
    const shell = startShell(replaceAll(commands, replace), folder, env);
    shells.defer(shell.kill);
    ran.push({ commands, printed: await shell.up, shown });
  };
  for (const { file, code } of copiedFiles(markdown)) await writeFile(folder.file(file), replaceAll(code, replace));
  const blocks = blocksOf(markdown);
  for (const [index, { language, code, file }] of blocks.entries()) {
    const next = blocks[index + 1];
    if (language === 'ts' && file) await writeFile(folder.file(file), replaceAll(code, replace));
    if (language === 'sh' && !/^npm /m.test(code)) await run(code, next?.language === 'text' ? next.code : undefined);
  }
  for (const command of followedBy) await run(command);
  await beforeTheEnd?.();
  return ran;
};

const replaceAll = (text: string, by: Readonly<Record<string, string>>): string =>
  Object.entries(by).reduce((replaced, [from, to]) => replaced.replaceAll(from, to), text);

/** An empty folder in which `node` and `npx` find this package and its neighbours. */
const makeReadersFolder = async (): Promise<ScratchFolder> => {
  const folder = await makeScratchFolder();
  await writeFile(folder.file('package.json'), '{ "type": "module" }');
  await mkdir(folder.file('node_modules'));
  for (const name of await readdir(inRoot('node_modules')))
    await symlink(inRoot(`node_modules/${name}`), folder.file(`node_modules/${name}`));
  await symlink(inRoot(''), folder.file('node_modules/voice-agent-integrations'));
  await mkdir(folder.file('bin'));
  const node = `exec '${process.execPath}'`;
  await writeFile(folder.file('bin/node'), `#!/bin/sh\n${node} "$@"\n`);
  await writeFile(folder.file('bin/npx'), `#!/bin/sh\nshift\n${node} '${inRoot('dist/dev/cli/main.js')}' "$@"\n`);
  for (const command of ['node', 'npx']) await chmod(folder.file(`bin/${command}`), 0o755);
  return folder;
};

interface Shell {
  /** Returns the output until the program ended well, or began to wait for Ctrl-C. */
  readonly up: Promise<string>;
  readonly kill: () => Promise<void>;
}

const startShell = (commands: string, folder: ScratchFolder, env: Readonly<Record<string, string>>): Shell => {
  const child = spawn('sh', ['-e', '-c', commands], {
    cwd: folder.path,
    // A group of its own, so that what the shell has started ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: `${folder.file('bin')}:${process.env['PATH']}`, NO_COLOR: '1', ...env },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const up = new Promise<string>((resolve, reject) => {
    let printed = '';
    const hear = (text: string) => {
      printed += text;
      if (printed.includes('Ctrl-C')) resolve(printed);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`${commands.trim()} ended with ${signal ?? code}\n${printed}`));
    });
  });
  return {
    up,
    kill: async () => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
};
