import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandOption, Given } from '../command.ts';
import { cannotBeDone, wrongUsage } from '../command-error.ts';
import { maximumInputBytes, type Terminal } from '../terminal.ts';

export const bodyOption: Readonly<Record<'body', CommandOption>> = {
  body: { value: 'FILE', help: 'The body, byte for byte (default: the standard input)' },
};

/** The bytes of the body as they are: a signature covers each of them, a line break at the end too. */
export const readBody = async (given: Given, terminal: Terminal): Promise<Buffer> => {
  const file = given.text('body');
  if (file === undefined) {
    const bytes = await terminal.readInput();
    if (bytes) return bytes;
    throw wrongUsage('there is no body', 'name a file with --body, or pipe it in');
  }
  const path = resolve(terminal.cwd, file);
  try {
    if ((await stat(path)).size <= maximumInputBytes) return await readFile(path);
  } catch (error) {
    throw cannotBeDone(`${file} cannot be read`, (error as NodeJS.ErrnoException).code, error);
  }
  throw wrongUsage(`${file} has more than 16 MiB`);
};
