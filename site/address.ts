import { startPage } from './contents.ts';

/** Where a file of the repository stands on the site: `docs/tools.md` is `tools.html`. */
export const addressOf = (path: string): string => `${placeOf(path)}.html`;

/** The same without the ending. */
export const placeOf = (path: string): string =>
  path === startPage
    ? 'index'
    : path
        .replace(/^docs\//, '')
        .replace(/\.md$/, '')
        .replace(/\/README$/, '/index')
        .toLowerCase();
