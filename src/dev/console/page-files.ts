import { type PageFile, readPage } from './read-page.ts';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

const files: ReadonlySet<string> = new Set<PageFile>([
  'index.html',
  'signed-out.html',
  'style.css',
  'icon.svg',
  'app.js',
  'server.js',
  'elements.js',
  'places.js',
  'words.js',
  'rows.js',
  'timeline.js',
  'phone-calls.js',
  'endpoints.js',
  'protection.js',
  'outbox.js',
  'tools.js',
]);

/** Returns true if the page has a file at this path; the empty one is the page itself. */
export const isPageFile = (path: string): path is PageFile | '' => path === '' || files.has(path);

/** A file of the page, and what it is. */
export const readPageFile = (path: PageFile | ''): { readonly text: string; readonly type: string } => {
  const file = path === '' ? 'index.html' : path;
  return { text: readPage(file), type: types[file.split('.')[1] ?? ''] ?? 'text/plain' };
};
