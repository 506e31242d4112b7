import { globSync, readFileSync } from 'node:fs';

/** One hand-written page. */
export interface Page {
  /** From the root of the repository, such as `docs/clients.md`. */
  readonly path: string;
  /** What navigation calls it. */
  readonly name: string;
  /** Its description in llms.txt, if there is one. */
  readonly about?: string;
}

/** Pages under one title in the navigation. */
export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** The page that a visitor sees first. */
export const startPage = 'README.md';

/**
 * The table of contents of the site, which is the list of pages in llms.txt: one list for people and for models, whose
 * completeness a test checks. The decision records follow, by number.
 */
export const tableOfContents = (root: URL): readonly Section[] => [
  ...sectionsOf(readFileSync(new URL('llms.txt', root), 'utf8')),
  { title: 'Decisions', pages: decisions(root) },
];

/** The sections of an llms.txt: lists of links below headings of the second level. */
export const sectionsOf = (text: string): readonly Section[] =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({ title: section.split('\n')[0]?.trim() ?? '', pages: pagesOf(section) }));

const pagesOf = (section: string): readonly Page[] =>
  [...section.matchAll(/\[([^\]]+)\]\(([^)]+\.md)\)(?:: ([^\n]+(?:\n {2}[^\n]+)*))?/g)].map(
    ([, name = '', path = '', about]) => ({
      path,
      name,
      ...(about && { about: about.replaceAll('`', '').replaceAll(/\s+/g, ' ') }),
    }),
  );

const decisions = (root: URL): readonly Page[] =>
  globSync('docs/decisions/0*.md', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => ({ path, name: headingOf(readFileSync(new URL(path, root), 'utf8')) }));

/** The heading of a page, as text. */
export const headingOf = (markdown: string): string => (/^# (.+)$/m.exec(markdown)?.[1] ?? '').replaceAll('`', '');
