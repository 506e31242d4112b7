import { readFileSync } from 'node:fs';

/** The files of the page, as they are in `page/`. */
export type PageFile = `${string}.${'html' | 'css' | 'js' | 'svg'}`;

/** The text of a file of the page. The build puts the texts in the place of this function: see tsdown.config.ts. */
export const readPage = (file: PageFile): string => readFileSync(new URL(`./page/${file}`, import.meta.url), 'utf8');
