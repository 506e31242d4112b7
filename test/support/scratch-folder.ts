import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of one test. */
export interface ScratchFolder extends AsyncDisposable {
  readonly path: string;
  readonly file: (name: string) => string;
  readonly remove: () => Promise<void>;
}

export const makeScratchFolder = async (): Promise<ScratchFolder> => {
  const path = await mkdtemp(join(tmpdir(), 'voice-agent-'));
  const remove = () => rm(path, { recursive: true, force: true });
  return { path, file: (name) => join(path, name), remove, [Symbol.asyncDispose]: remove };
};
