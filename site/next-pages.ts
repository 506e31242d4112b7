import { addressOf } from './address.ts';
import type { Section } from './contents.ts';
import { linkTo } from './page-navigation.ts';

/** Links to the page before this one and to the one after it, in the order of the navigation; none on other pages. */
export const nextPages = (contents: readonly Section[], url: string): string => {
  const pages = contents.flatMap((section) => section.pages);
  const at = pages.findIndex((page) => addressOf(page.path) === url);
  if (at < 0) return '';
  const [before, after] = [pages[at - 1], pages[at + 1]];
  const previous = before ? `<span class="previous">${linkTo(before, url)}</span>` : '';
  const next = after ? `<span class="next">${linkTo(after, url)}</span>` : '';
  return `<nav class="next-pages" aria-label="Previous and next page">${previous}${next}</nav>`;
};
