import { closeSync, existsSync, fchmodSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { CommandOption } from './command.ts';
import { badConfiguration, wrongUsage } from './command-error.ts';
import type { Terminal } from './terminal.ts';

/** For every command. Node reads the file too, before the command starts, and ends the process if it's missing. */
export const envFileOption: CommandOption = {
  value: 'FILE',
  help: 'Read variables from this file (default: .env, then .env.sandbox)',
};

/**
 * Adds the variables of the file that was named to the environment, else those of `.env`, and of `.env.sandbox` if no
 * API is configured yet. A variable that's set already stays. Throws `CommandError` if the named file isn't there.
 */
export const readEnvFiles = (named: string | undefined, { cwd, env }: Terminal): void => {
  const read = (file: string) => {
    const found = parseEnv(readFileSync(resolve(cwd, file), 'utf8'));
    for (const [name, value] of Object.entries(found)) env[name] ??= value;
  };
  if (named !== undefined) {
    if (!existsSync(resolve(cwd, named))) throw badConfiguration(`${named} does not exist`);
    return read(named);
  }
  if (existsSync(resolve(cwd, '.env'))) read('.env');
  if (!namesAnApi(env) && existsSync(resolve(cwd, sandboxFile))) read(sandboxFile);
};

const namesAnApi = (env: Terminal['env']): boolean =>
  Object.keys(env).some((name) => /^(?:MESSAGING|CRM|BILLING)_(?:BASE_URL|DIALECT)$/.test(name));

/** The usual file of the sandbox's variables. */
export const sandboxFile = '.env.sandbox';

const firstLine = '# Written by voice-agent-integrations sandbox, which removes it when it ends.';

/** Throws `CommandError` if the file is there and a sandbox didn't write it. */
export const assertMayWrite = (file: string, { cwd }: Terminal): void => {
  const path = resolve(cwd, file);
  if (existsSync(path) && !readFileSync(path, 'utf8').startsWith(firstLine))
    throw wrongUsage(`${file} is there already, and no sandbox wrote it`, `name another file, such as ${sandboxFile}`);
};

/** Writes the variables of a sandbox. `remove` deletes the file, unless another sandbox has written it since. */
export const writeEnvFile = (file: string, variables: Readonly<Record<string, string>>, { cwd }: Terminal) => {
  const path = resolve(cwd, file);
  const text = [firstLine, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`), ''].join('\n');
  writePrivately(path, text);
  return {
    remove: () => {
      if (existsSync(path) && readFileSync(path, 'utf8') === text) rmSync(path);
    },
  };
};

/** Writes what has credentials: for its owner alone, even if the file is there with another mode. */
export const writePrivately = (path: string, text: string): void => {
  const descriptor = openSync(path, 'w', 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
};
