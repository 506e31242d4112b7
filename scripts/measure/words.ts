import { globSync, readFileSync } from 'node:fs';
import type { Measures } from './source.ts';

/** The words of one page for readers. */
export interface PageWords {
  readonly page: string;
  readonly words: number;
}

/** A sentence that's too long to read once. */
export interface LongSentence {
  readonly file: string;
  readonly words: number;
  readonly sentence: string;
}

const mostWords = 25;

/** Records, rows that each change adds, and tables that commands and tests make. */
const notForReading = /^docs\/(decisions\/|(migrating|cli|subpaths|side-by-side)\.md$)/;

const named = (patterns: string[], root: URL) =>
  globSync(patterns, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted();

const textOf = (file: string, root: URL) => readFileSync(new URL(file, root), 'utf8');

/** Counts the words of README and docs as `wc -w` does, the longest page first. Code and tables count. */
export const wordsOfPages = (root: URL): readonly PageWords[] =>
  named(['README.md', 'docs/**/*.md'], root)
    .filter((page) => !notForReading.test(page))
    .map((page) => ({ page, words: textOf(page, root).split(/\s+/).filter(Boolean).length }))
    .toSorted((one, other) => other.words - one.words);

/** Returns the sentences of more than 25 words in README, docs and docstrings. The page of the CLI is its help. */
export const longSentences = (root: URL): readonly LongSentence[] => [
  ...named(['README.md', 'docs/**/*.md'], root)
    .filter((page) => !page.startsWith('docs/decisions/'))
    .flatMap((file) => longIn(file, paragraphsOf(textOf(file, root)))),
  ...named(['src/**/*.ts', 'templates/**/*.ts'], root).flatMap((file) =>
    longIn(file, docstringsOf(textOf(file, root))),
  ),
];

const longIn = (file: string, paragraphs: readonly string[]): LongSentence[] =>
  paragraphs.flatMap(sentencesOf).flatMap((sentence) => {
    const words = wordsIn(sentence);
    return words > mostWords ? [{ file, words, sentence }] : [];
  });

/** Paragraphs, headings, items of lists and cells of tables, without code. A name in backticks is one word. */
const paragraphsOf = (markdown: string): string[] =>
  markdown
    .replaceAll(/^\s*(```|~~~)[\s\S]*?^\s*\1/gm, '\n\n')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/`[^`\n]+`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .split(/\n\s*\n|\n\s*(?=[-*#>|] |\d+\. )|(?<!\\)\|/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim());

const docstringsOf = (code: string): string[] =>
  [...code.matchAll(/\/\*\*([\s\S]*?)\*\//g)].flatMap(([, text = '']) =>
    text
      .replaceAll(/^\s*\* ?/gm, '')
      .replaceAll(/\{@link ([^}]+)\}/g, '$1')
      .split(/^\s*(?=@\w)/m)
      .filter((part) => !part.startsWith('@example'))
      .flatMap(paragraphsOf),
  );

const sentencesOf = (paragraph: string): string[] => paragraph.split(/(?<=[.!?]["')]?) (?=[\p{Lu}"'([]|code|\d)/u);

const wordsIn = (sentence: string): number => sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Measures what people read. */
export const measureWords = (root: URL): Measures => ({
  'words of README and docs': wordsOfPages(root).reduce((sum, { words }) => sum + words, 0),
  'sentences over 25 words': longSentences(root).length,
});
