import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Served, serve } from './serve.ts';

/** The files of a folder behind a real HTTP server on loopback, as a host of static pages gives them out. */
export const serveFolder = (folder: string): Promise<Served> =>
  serve(async ({ url }) => {
    const path = decodeURIComponent(new URL(url).pathname);
    const file = path.endsWith('/') ? `${path}index.html` : path;
    try {
      const bytes = await readFile(join(folder, file));
      return new Response(bytes, { headers: { 'content-type': types.get(extname(file)) ?? 'text/plain' } });
    } catch {
      return new Response('not here', { status: 404 });
    }
  });

const types = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css'],
  ['.js', 'text/javascript'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.json', 'application/json'],
]);
