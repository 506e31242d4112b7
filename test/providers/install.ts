import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../support/run-command.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Installs the packages of the lock, unless they are there. */
export const setup = async (): Promise<void> => {
  if (changedAt('node_modules/.package-lock.json') >= changedAt('package-lock.json')) return;
  await runCommand('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, timeoutMs: 600_000 });
};

const changedAt = (file: string) => statSync(folder + file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
