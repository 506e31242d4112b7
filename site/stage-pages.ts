import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeOf } from './address.ts';
import { codePage, isCode } from './code-page.ts';
import { headingOf, type Page, startPage } from './contents.ts';
import { firstParagraph } from './first-paragraph.ts';
import { mapTargets, targetsOf } from './link-targets.ts';

export interface StagingOptions {
  /** The repository. */
  readonly root: URL;
  /** Where the copies go. */
  readonly folder: URL;
}

/**
 * Copies the pages into a folder, each below what the site has to know about it, so that the repository's own pages need
 * no front matter, which code hosts show. What they link to comes along: other pages and code as pages, the rest as it is.
 * Gives the files of the pages, in their order.
 */
export const stagePages = async (
  pages: readonly Page[],
  { root, folder }: StagingOptions,
): Promise<readonly string[]> => {
  const written = await Promise.all(pages.map((page) => read(page, root)));
  const further = linkedFrom(written).filter((path) => existsSync(new URL(path, root)));
  const linkedPages = await Promise.all(
    further.filter((path) => path.endsWith('.md')).map((path) => read({ path }, root)),
  );
  const code = further.filter(isCode).map((path) => showCode(path, root));

  const all = [...written, ...linkedPages, ...code];
  for (const page of all) await write(page, folder);
  for (const path of further) if (!isPage(path)) await copy(path, { root, folder });
  return all.map(({ path }) => fileURLToPath(new URL(path, folder)));
};

/** A page with all that the site knows about it. */
interface StagedPage extends Required<Page> {
  readonly markdown: string;
}

const read = async ({ path, name, about }: Partial<Page> & Pick<Page, 'path'>, root: URL): Promise<StagedPage> => {
  const markdown = await readFile(new URL(path, root), 'utf8');
  return {
    path,
    name: name ?? headingOf(markdown),
    about: about === undefined ? firstParagraph(markdown) : sentence(about),
    markdown,
  };
};

/** What the pages link to and are not themselves. */
const linkedFrom = (pages: readonly StagedPage[]): readonly string[] => {
  const own = new Set(pages.map(({ path }) => path));
  const linked = pages.flatMap(({ path, markdown }) =>
    targetsOf(markdown).map((target) => withoutSlash(posix.join(posix.dirname(path), target))),
  );
  return [...new Set(linked)].filter((path) => !own.has(path)).toSorted();
};

const showCode = (path: string, root: URL): StagedPage => ({
  path: `${path}.md`,
  name: posix.basename(path),
  about: `${path} in the repository.`,
  markdown: codePage(path, root),
});

const isPage = (path: string) => path.endsWith('.md') || isCode(path);

const write = async ({ path, name, about, markdown }: StagedPage, folder: URL) => {
  const text = mapTargets(markdown, (target) => (isCode(target) ? `${withoutSlash(target)}.md` : target));
  // JSON is YAML.
  const matter = Object.entries({ title: name, summary: about, place: placeOf(path) })
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
  await makeFolderOf(path, folder);
  await writeFile(new URL(path, folder), path === startPage ? text : `---\n${matter}---\n\n${text}`);
};

const copy = async (path: string, { root, folder }: StagingOptions) => {
  await makeFolderOf(path, folder);
  await copyFile(new URL(path, root), new URL(path, folder));
};

const makeFolderOf = (path: string, folder: URL) => mkdir(new URL('.', new URL(path, folder)), { recursive: true });

const withoutSlash = (path: string) => path.replace(/\/$/, '');

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
