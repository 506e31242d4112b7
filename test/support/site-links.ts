import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The references of the pages of a static site. */
export interface SiteLinks {
  /** All pages, by their address. */
  readonly pages: readonly string[];
  /** `page -> target` where there is no such file, or no such anchor in it. */
  readonly dead: readonly string[];
  /** `page -> address` where a page itself, and not a reader who follows a link, asks another host. */
  readonly foreign: readonly string[];
  /** Whether a link from the root of the site leads to a page, and to its anchor. */
  readonly has: (link: string) => boolean;
}

/** Reads the links, images, styles and scripts of every page in a folder. */
export const readSiteLinks = (folder: string): SiteLinks => {
  const files = new Set(globSync('**/*', { cwd: folder }).map((file) => file.replaceAll('\\', '/')));
  const pages = [...files].filter((file) => file.endsWith('.html')).toSorted();
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
  const texts = new Map(pages.map((page) => [page, textOf(page)]));
  const drawings = [...files].filter((file) => file.endsWith('.svg')).map((file) => [file, textOf(file)] as const);
  const anchors = new Map([...texts, ...drawings].map(([file, text]) => [file, new Set(valuesOf(text, 'id'))]));

  const isThere = (page: string, link: string) => {
    const [path = '', anchor] = decodeURI(link).split('#');
    const target = path === '' ? page : posix.join(posix.dirname(page), path.split('?')[0] ?? '');
    return files.has(target) && (!anchor || anchors.get(target)?.has(anchor) === true);
  };
  const links = pages.flatMap((page) =>
    [...new Set(['href', 'src', 'srcset'].flatMap((name) => valuesOf(texts.get(page) ?? '', name)))].map(
      (link) => [page, link] as const,
    ),
  );

  return {
    pages,
    dead: links
      .filter(([page, link]) => !isElsewhere(link) && !isThere(page, link))
      .map(([page, link]) => `${page} -> ${link}`),
    has: (link) => isThere('index.html', link),
    foreign: [...texts].flatMap(([page, text]) => loadedBy(text).map((address) => `${page} -> ${address}`)),
  };
};

const isElsewhere = (link: string) => /^(?:[a-z]+:|\/\/)/.test(link);

const valuesOf = (html: string, attribute: string): readonly string[] =>
  [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => unescape(value));

/** The addresses elsewhere that a browser fetches by itself. */
const loadedBy = (html: string): readonly string[] =>
  [...html.matchAll(/<(?:link|script|img|iframe|source|video)\b[^>]*>/g)].flatMap(([tag]) =>
    ['href', 'src', 'srcset'].flatMap((name) => valuesOf(tag, name)).filter((link) => /^(?:https?:|\/\/)/.test(link)),
  );

const unescape = (value: string) =>
  value.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
