import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Finding, findingsAbout } from './finding.ts';

/** Whether the packages next to this one are new enough, by its own `peerDependencies`. One that isn't installed is fine. */
export const checkPackages = (cwd: string): readonly Finding[] => {
  const { peerDependencies } = JSON.parse(readFileSync(ownManifest(), 'utf8')) as Manifest;
  const folders = createRequire(join(cwd, 'package.json')).resolve.paths('of-this-folder') ?? [];
  return Object.entries(peerDependencies).flatMap(([name, range]) => {
    const installed = versionIn(folders, name);
    const floor = range.replace('>=', '');
    if (installed === undefined || !isOlder(installed, floor)) return [];
    const message = `${name} ${installed} is installed, and ${floor} or newer is needed`;
    return [findingsAbout('packages').problem('version', message, `npm install ${name}@latest`)];
  });
};

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const ownManifest = () => createRequire(import.meta.url).resolve('voice-agent-integrations/package.json');

/** Read as a file: most packages don't export their package.json. */
const versionIn = (folders: readonly string[], name: string): string | undefined => {
  for (const folder of folders) {
    try {
      const { version } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as { version: string };
      return version;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
};

const isOlder = (version: string, floor: string): boolean => {
  const [parts, least] = [version, floor].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  const difference = [0, 1, 2].map((index) => (parts?.[index] ?? 0) - (least?.[index] ?? 0)).find((by) => by !== 0);
  return (difference ?? 0) < 0;
};
