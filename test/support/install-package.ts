import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand } from './run-command.ts';

/** Installs the packages of the lock in this folder, unless they are there. */
export const installPackage = async (folder: URL): Promise<void> => {
  const changedAt = (file: string) => statSync(new URL(file, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changedAt('node_modules/.package-lock.json') >= changedAt('package-lock.json')) return;
  await runCommand('npm', ['ci', '--no-audit', '--no-fund'], { cwd: fileURLToPath(folder), timeoutMs: 600_000 });
};
