import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Command } from '../command.ts';
import { cannotBeDone, wrongUsage } from '../command-error.ts';
import { exitCodes } from '../exit-codes.ts';

export const initApi: Command = {
  name: 'init api',
  summary: 'Write a client of your own API from its OpenAPI description, as code that you own.',
  positionals: [{ name: 'FILE', help: 'an OpenAPI 3 description, in JSON or YAML' }],
  options: {
    out: { value: 'FILE', help: 'Where to write it; an existing file is kept (default: the standard output)' },
    only: {
      value: 'PATTERN',
      multiple: true,
      help: 'Only operations with this operation id, tag or path; * is anything. May be given several times',
    },
  },
  details: [
    'The code has a zod schema per shape and an entry per operation, for createApiClient. Credentials are read from the environment. What the description can’t say is marked with Decide; what the code can’t express is marked with Left out, and listed on the error output.',
    'YAML needs the package yaml: npm install --save-dev yaml.',
  ],
  examples: [
    {
      command: 'npx voice-agent-integrations init api openapi.yaml --out src/orders.ts',
      says: 'A client of all operations',
    },
    {
      command: "npx voice-agent-integrations init api openapi.yaml --only '/orders*' --only Refunds",
      says: 'Only what is below /orders, or has the tag Refunds',
    },
  ],
  run: async (given, terminal) => {
    const [file = ''] = given.positionals;
    const { readDescription } = await import('./read-description.ts');
    const { readOperations, tagsOf } = await import('./operations.ts');
    const { clientNameOf, writeClient } = await import('./client-code.ts');
    const description = await readDescription(file, terminal.cwd);
    const operations = readOperations(description, { only: given.texts('only'), client: clientNameOf(description) });
    if (operations.length === 0) {
      const tags = tagsOf(description).slice(0, 12).join(', ');
      throw wrongUsage('there is no such operation', tags === '' ? undefined : `tags are ${tags}`);
    }
    const { code, notes, endpoints } = writeClient(description, operations, basename(file));
    const out = given.text('out');
    if (out !== undefined) await write(resolve(terminal.cwd, out), code, out);
    if (given.flag('json'))
      terminal.print(JSON.stringify({ endpoints, leftOut: notes, ...(out === undefined ? { code } : { out }) }));
    else if (out === undefined) terminal.print(code.trimEnd());
    for (const note of notes) terminal.note(note);
    if (out !== undefined) terminal.note(`wrote ${endpoints} operations to ${out}`);
    return exitCodes.ok;
  },
};

const write = async (path: string, code: string, out: string): Promise<void> => {
  try {
    await writeFile(path, code, { flag: 'wx' });
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    throw isThere
      ? wrongUsage(`${out} is there already`, 'choose another name, or remove it first')
      : cannotBeDone(`${out} can't be written`, 'does its folder exist?', cause);
  }
};
