import { readFileSync } from 'node:fs';

const examples = new URL('../../examples/', import.meta.url);

/** Returns the examples that a page has its reader copy: it says "Copy" and links to the file. */
export const copiedFiles = (markdown: string): readonly { readonly file: string; readonly code: string }[] =>
  [...markdown.matchAll(/\b[Cc]opy\s\[([\w-]+\.ts)\]\((?:\.\.\/)+examples\/([^)]+)\)/g)].map(
    ([, file = '', path = '']) => ({ file, code: readFileSync(new URL(path, examples), 'utf8') }),
  );
