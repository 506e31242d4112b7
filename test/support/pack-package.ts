import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './run-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The fields of package.json that npm itself reads. */
export interface Manifest {
  readonly version: string;
  readonly imports: Readonly<Record<string, { readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export const readManifest = async (): Promise<Manifest> =>
  JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;

/** Builds the package and packs it into a folder, as it is published; gives the path of the tarball. */
export const packPackage = async (folder: string): Promise<string> => {
  const { version } = await readManifest();
  await runCommand('npm', ['pack', '--pack-destination', folder], { cwd: root, timeoutMs: 300_000 });
  return join(folder, `voice-agent-integrations-${version}.tgz`);
};

/** Installs packages, tarballs among them, into a folder; what was downloaded before is not asked for again. */
export const npmInstall = (folder: string, packages: readonly string[]): Promise<string> =>
  runCommand('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    timeoutMs: 300_000,
  });
