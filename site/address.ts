import { startPage } from './contents.ts';

/** The address of a file of the repository on the site: `docs/calls.md` is `calls.html`. */
export const addressOf = (path: string): string => `${placeOf(path)}.html`;

/** The same without the ending. */
export const placeOf = (path: string): string =>
  path === startPage
    ? 'index'
    : path
        // docs/security.md is another page.
        .replace(/^SECURITY\.md$/, 'reporting-a-vulnerability.md')
        .replace(/^docs\//, '')
        .replace(/\.md$/, '')
        .replace(/\/README$/, '/index')
        .toLowerCase();
