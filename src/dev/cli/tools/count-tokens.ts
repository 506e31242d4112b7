import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The number of tokens of a text, and the source of the count. */
export interface TokenCount {
  readonly tokens: number;
  readonly by: 'gpt-tokenizer' | 'estimate';
}

/** Counted with gpt-tokenizer where this folder's project has it; else a third of the characters, which is too many rather than too few. */
export const countTokens = async (text: string, folder: string): Promise<TokenCount> => {
  const encode = await loadEncoder(folder);
  return encode
    ? { tokens: encode(text).length, by: 'gpt-tokenizer' }
    : { tokens: Math.ceil(text.length / 3), by: 'estimate' };
};

type Encode = (text: string) => readonly number[];

const loadEncoder = async (folder: string): Promise<Encode | undefined> => {
  try {
    const path = createRequire(join(folder, 'package.json')).resolve('gpt-tokenizer');
    const { encode } = (await import(pathToFileURL(path).href)) as { readonly encode?: Encode };
    return encode;
  } catch {
    return undefined;
  }
};
