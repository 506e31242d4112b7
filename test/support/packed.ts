import type { TestProject } from 'vitest/node';
import { packPackage } from './pack-package.ts';
import { makeScratchFolder } from './scratch-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The path of the packed package: `inject('tarball')`. */
    readonly tarball: string;
  }
}

/** Builds and packs the package once for all files of a project. */
export const setup = async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const folder = await makeScratchFolder();
  provide('tarball', await packPackage(folder.path));
  return folder.remove;
};
