import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { cannotBeDone, CommandError, wrongUsage } from '../command-error.ts';
import { asObject, type Description, describeRoot, textIn } from './description.ts';

/**
 * Reads an OpenAPI 3 description from a file.
 * Throws `CommandError` for what isn't one, and for one that is spread over several files.
 */
export const readDescription = async (file: string, folder: string): Promise<Description> => {
  const text = await readFile(resolve(folder, file), 'utf8').catch((cause: unknown) => {
    throw wrongUsage(`${file} can't be read: ${codeOf(cause)}`, 'give the file of an OpenAPI description');
  });
  const root = asObject(await parse(file, text));
  if (!root) throw cannotBeDone(`${file} is no OpenAPI description`, 'it must hold an object');
  if (root['swagger'] !== undefined)
    throw cannotBeDone(
      `${file} is a Swagger 2.0 description`,
      'convert it first, for example with npx swagger2openapi',
    );
  if (!/^3\.\d/.test(textIn(root, 'openapi') ?? ''))
    throw cannotBeDone(`${file} doesn't say openapi: 3.x`, 'only OpenAPI 3.0 and later is read');
  const elsewhere = referencesIn(root).find((reference) => !reference.startsWith('#'));
  if (elsewhere !== undefined)
    throw cannotBeDone(
      `${file} points to another file: ${elsewhere}`,
      `put them together first, for example with npx @redocly/cli bundle ${file}`,
    );
  return describeRoot(root);
};

const parse = async (file: string, text: string): Promise<unknown> => {
  if (text.trimStart().startsWith('{'))
    try {
      const parsed: unknown = JSON.parse(text);
      assertReadable(file, parsed);
      return parsed;
    } catch (cause) {
      if (cause instanceof CommandError) throw cause;
      // YAML may begin with a brace too.
    }
  const { parse: parseYaml } = await import('yaml').catch((cause: unknown) => {
    throw cannotBeDone('the package yaml is needed to read YAML', 'npm install --save-dev yaml', cause);
  });
  try {
    const parsed: unknown = parseYaml(text, { maxAliasCount: 1_000 });
    assertReadable(file, parsed);
    // As JSON would have it, without what aliases share.
    return JSON.parse(JSON.stringify(parsed));
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    if (cause instanceof Error && /call stack/i.test(cause.message)) throw tooDeep(file, cause);
    const where = cause instanceof Error ? cause.message.split('\n')[0] : '';
    throw cannotBeDone(`${file} is neither JSON nor YAML: ${where}`, undefined, cause);
  }
};

const deepest = 200;

/** The limits of nodes and characters, with what aliases of YAML repeat. Large public descriptions have a tenth of it. */
const mostNodes = 10_000_000;
const mostCharacters = 100_000_000;

/** Goes through everything without calling itself: aliases of YAML may go in a circle, or grow without end. */
const assertReadable = (file: string, root: unknown): void => {
  let nodes = 0;
  let characters = 0;
  const left: (readonly [node: unknown, depth: number])[] = [[root, 0]];
  for (let next = left.pop(); next; next = left.pop()) {
    const [node, depth] = next;
    nodes += 1;
    if (typeof node === 'string') characters += node.length;
    if (depth > deepest) throw tooDeep(file);
    if (nodes + left.length > mostNodes || characters > mostCharacters)
      throw cannotBeDone(`${file} is too large`, 'describe fewer operations in one file');
    if (typeof node !== 'object' || node === null) continue;
    for (const [name, inner] of Object.entries(node)) {
      characters += name.length;
      left.push([inner, depth + 1]);
    }
  }
};

const tooDeep = (file: string, cause?: unknown): CommandError =>
  cannotBeDone(
    `${file} is nested deeper than ${deepest} levels`,
    'give schemas a name in components, and use $ref',
    cause,
  );

const referencesIn = (node: unknown): readonly string[] => {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === '$ref' && typeof value === 'string' ? [value] : referencesIn(value),
  );
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'there is no such file' : 'it is no text file';
