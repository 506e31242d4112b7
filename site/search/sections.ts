/** A part of a page that a search can find: the page itself up to its first heading, or what follows a heading. */
export interface PageSection {
  /** Undefined for the part before the first heading below the page's own. */
  readonly heading: string | undefined;
  /** Prose and tables, as text. */
  readonly text: string;
  readonly code: string;
}

/** The sections of a page, in their order. */
export const sectionsOfPage = (markdown: string): readonly PageSection[] => {
  const sections: { heading: string | undefined; text: string[]; code: string[] }[] = [
    { heading: undefined, text: [], code: [] },
  ];
  // Blocks of code are every second part; a `#` in them is no heading.
  for (const [index, part] of markdown.split(/^ *```.*\n([^]*?)^ *```$/m).entries()) {
    if (index % 2 === 1) {
      sections.at(-1)?.code.push(part);
      continue;
    }
    for (const line of part.split('\n')) {
      const [, level, heading = ''] = /^(#{1,4}) (.+)$/.exec(line) ?? [];
      if (level === undefined) sections.at(-1)?.text.push(line);
      else if (level !== '#') sections.push({ heading: plain(heading), text: [], code: [] });
    }
  }
  return sections.map(({ heading, text, code }) => ({
    heading,
    text: plain(text.join('\n')),
    code: code.join(' ').replaceAll(/\s+/g, ' ').trim(),
  }));
};

/** Markdown as a reader sees it, in one line. */
export const plain = (markdown: string): string =>
  markdown
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\|[-:| ]+\|$/gm, '')
    .replaceAll(/^\| *| *\|$/gm, '')
    .replaceAll(/(?<!\\) *\| */g, ' · ')
    .replaceAll(/\*\*|`|\\(?=\|)|^[-#>] |^\d+\. /gm, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?:· )+(?=·)|^· | ·$/g, '')
    .trim();
