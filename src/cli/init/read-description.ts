import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { cannotBeDone, wrongUsage } from '../command-error.ts';
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
  const elsewhere = referenceElsewhere(root);
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
      return JSON.parse(text);
    } catch {
      // YAML may begin with a brace too.
    }
  const { parse: parseYaml } = await import('yaml').catch((cause: unknown) => {
    throw cannotBeDone('the package yaml is needed to read YAML', 'npm install --save-dev yaml', cause);
  });
  try {
    // As JSON would have it: aliases of YAML may go in a circle.
    return JSON.parse(JSON.stringify(parseYaml(text, { maxAliasCount: 1_000 })));
  } catch (cause) {
    const where = cause instanceof Error ? cause.message.split('\n')[0] : '';
    throw cannotBeDone(`${file} is neither JSON nor YAML: ${where}`, undefined, cause);
  }
};

const referenceElsewhere = (node: unknown): string | undefined => {
  if (typeof node !== 'object' || node === null) return undefined;
  for (const [name, value] of Object.entries(node)) {
    if (name === '$ref' && typeof value === 'string' && !value.startsWith('#')) return value;
    const found = referenceElsewhere(value);
    if (found !== undefined) return found;
  }
  return undefined;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'there is no such file' : 'it is no text file';
