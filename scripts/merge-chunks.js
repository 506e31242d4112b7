import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { build } from 'esbuild';

/**
 * Joins the small files that every client loads: one file with what needs no package, one with the rest. esbuild cuts
 * the code into a file for each set of entries that share it, two dozen for one client, and each costs Node about half a
 * millisecond when it is imported. Nothing is loaded that was not loaded before by somebody who has a client.
 * The door to zod stays a file of its own, since most of what needs the others does without it.
 * @param {string} folder the built package
 * @param {readonly string[]} clients the entries whose common files are joined, such as `crm/index.js`
 */
export const mergeChunks = async (folder, clients) => {
  const texts = await readTexts(folder);
  const loaded = clients.map((client) => closureOf(client, texts));
  const common = [...(loaded[0] ?? [])].filter(
    (file) => isChunk(file) && loaded.every((files) => files.has(file)) && !holdsZod(texts.get(file) ?? ''),
  );
  const needsPackage = (/** @type {string} */ file) =>
    [...closureOf(file, texts)].some((loadedToo) => {
      const text = texts.get(loadedToo) ?? '';
      return holdsZod(text) || /^import .*"(?!node:|\.)[^"]+";$|from "(?!node:|\.)[^"]+";$/m.test(text);
    });
  await merge(
    folder,
    'chunk-base.js',
    common.filter((file) => !needsPackage(file)),
  );
  await merge(folder, 'chunk-http.js', common.filter(needsPackage));
};

const isChunk = (/** @type {string} */ file) => /^chunk-[A-Z0-9]{8}\.js$/.test(file);

const holdsZod = (/** @type {string} */ text) => text.includes('node_modules/zod/');

/** @returns {Promise<Map<string, string>>} by path within the folder */
const readTexts = async (/** @type {string} */ folder) => {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.js'));
  return new Map(
    await Promise.all(
      files.map(async (file) => /** @type {const} */ ([file, await readFile(`${folder}/${file}`, 'utf8')])),
    ),
  );
};

/** As esbuild writes them: at the beginning of a line, over as many lines as there are names. */
const importPattern = /^import (?:\{([^}]*)\} from )?"(\.[^"]*)";$/gm;

/** Every file that importing this one loads. @type {(file: string, texts: Map<string, string>) => Set<string>} */
const closureOf = (file, texts) => {
  const found = new Set([file]);
  for (const from of found)
    for (const [, , path = ''] of (texts.get(from) ?? '').matchAll(importPattern)) found.add(resolve(from, path));
  return found;
};

const resolve = (/** @type {string} */ from, /** @type {string} */ path) => posix.join(posix.dirname(from), path);

/** Replaces the files by one, and what others import of them. @type {(folder: string, into: string, files: readonly string[]) => Promise<void>} */
const merge = async (folder, into, files) => {
  if (files.length === 0) return;
  const texts = await readTexts(folder);
  /** @type {Map<string, string>} */
  const owners = new Map();
  for (const file of files)
    for (const name of exportsOf(texts.get(file) ?? '')) {
      if (owners.has(name)) throw new Error(`${into}: ${file} and ${owners.get(name)} both export ${name}`);
      owners.set(name, file);
    }
  await build({
    stdin: { contents: files.map((file) => `export * from './${file}';`).join('\n'), resolveDir: folder },
    outfile: `${folder}/${into}`,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    external: ['#opossum'],
    logLevel: 'warning',
    plugins: [
      {
        name: 'others stay where they are',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^\.\/[^/]+\.js$/ }, ({ path }) =>
            files.includes(path.slice(2)) ? undefined : { path, external: true },
          ),
      },
    ],
  });
  const merged = new Set(files);
  await Promise.all([
    ...[...texts].map(async ([file, text]) => {
      if (merged.has(file)) return;
      const rewritten = text.replaceAll(importPattern, (statement, names, path) =>
        merged.has(resolve(file, path)) ? statement.replace(/[^/]+\.js";$/, `${into}";`) : statement,
      );
      if (rewritten !== text) await writeFile(`${folder}/${file}`, rewritten);
    }),
    ...files.map((file) => rm(`${folder}/${file}`)),
  ]);
};

/** The names of esbuild's one list of exports. */
const exportsOf = (/** @type {string} */ text) =>
  [...text.matchAll(/^export \{([^}]*)\};$/gm)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().split(' as ').at(-1) ?? '')
      .filter((name) => name !== ''),
  );
