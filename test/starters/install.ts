import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackage } from '../support/install-package.ts';
import { packPackage } from '../support/pack-package.ts';
import { runCommand } from '../support/run-command.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** The packages of the lock, and this one as it's published: unpacked, with what it needs from the project's own. */
export const setup = async (): Promise<void> => {
  await installPackage(new URL('.', import.meta.url));
  const scratch = await mkdtemp(join(folder, 'pack-'));
  const tarball = await packPackage(scratch);
  await runCommand('npm', ['install', '--no-save', '--prefer-offline', '--no-audit', '--no-fund', tarball], {
    cwd: folder,
    timeoutMs: 300_000,
  });
  await rm(scratch, { recursive: true });
};
