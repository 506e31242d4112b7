/** A fenced block of a page of the documentation. */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** The number of its first line of code within the page. */
  readonly line: number;
  /** The file that it is the whole of. */
  readonly file?: string | undefined;
}

/** The fenced blocks of a page, in their order. */
export const blocksOf = (markdown: string): readonly Block[] =>
  [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = '', 2: code = '' }) => ({
    language,
    code,
    line: markdown.slice(0, index).split('\n').length + 1,
    file: fileNamedBy(code),
  }));

/** A block that begins with `// agent.ts` is the whole of that file. */
const fileNamedBy = (code: string): string | undefined => /^\/\/ ([\w./-]+\.ts)\n/.exec(code)?.[1];
