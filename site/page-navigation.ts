import { posix } from 'node:path';
import { addressOf } from './address.ts';
import { type Page, type Section, startPage } from './contents.ts';

/**
 * The navigation over the hand-written pages, as the page at this address shows it. The first section and that of the page
 * are open. On pages of the reference all are closed, and its own navigation follows.
 */
export const pageNavigation = (contents: readonly Section[], url: string): string => {
  const isReference = url.startsWith('reference/');
  const sections = contents.map(({ title, pages }, index) => {
    const hasThis = pages.some((page) => addressOf(page.path) === url);
    const open = hasThis || (!isReference && index === 0) ? ' open' : '';
    const links = pages.map((page) => `<li>${linkTo(page, url)}</li>`).join('');
    return `<details${open}><summary>${escapeHtml(title)}</summary><ul>${links}</ul></details>`;
  });
  return `<nav class="tsd-navigation side" aria-label="Pages">${sections.join('')}</nav>`;
};

/** A link from the page at this address. */
export const linkTo = (page: Page, url: string): string => {
  const current = addressOf(page.path) === url ? ' class="current" aria-current="page"' : '';
  const name = page.path === startPage ? 'Overview' : page.name;
  return `<a href="${relativeTo(url, addressOf(page.path))}"${current}>${escapeHtml(name)}</a>`;
};

const relativeTo = (from: string, to: string) => posix.relative(posix.dirname(from), to);

/** A text escaped for HTML, also for an attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
