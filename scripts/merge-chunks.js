import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { build } from 'esbuild';
import { planChunks } from './plan-chunks.js';

/**
 * Joins the small files that are loaded together, since each costs Node about half a millisecond when it is imported.
 * Which ones is decided by `planChunks`.
 * @param {string} folder the built package
 * @param {readonly string[]} often entries that an application imports when it starts, such as `crm/index.js`
 */
export const mergeChunks = async (folder, often) => {
  const texts = await readTexts(folder);
  const files = new Map([...texts].map(([file, text]) => [file, readBuilt(file, text)]));
  const weightOf = (/** @type {string} */ entry) => (often.includes(entry) ? 20 : 1);
  for (const [at, chunks] of planChunks(files, weightOf).entries()) await merge(folder, `chunk-${at + 1}.js`, chunks);
};

/** @type {(file: string, text: string) => import('./plan-chunks.js').BuiltFile} */
const readBuilt = (file, text) => {
  const from = [...text.matchAll(importPattern)].map(([, , path = '']) => path);
  const isOwn = (/** @type {string} */ path) => path.startsWith('.');
  return {
    bytes: text.length,
    imports: from.filter(isOwn).map((path) => resolve(file, path)),
    // zod is built in; what does without it must not be made to load it.
    packages: [
      ...from.filter((path) => !isOwn(path) && !isLoadedAnyway(path)),
      ...[...text.matchAll(builtinPattern)].map(([, name = '']) => name),
      ...(text.includes('node_modules/zod/') ? ['zod'] : []),
    ],
    names: exportsOf(text),
    isChunk: /^chunk-[A-Z0-9]{8}\.js$/.test(file),
  };
};

/** Asked for when the file is loaded. */
const builtinPattern = /^var .*= (?:\/\* @__PURE__ \*\/ )?process\.getBuiltinModule\("([^"]*)"\)/gm;

/** By Node itself when it starts. */
const isLoadedAnyway = (/** @type {string} */ path) => ['node:diagnostics_channel', 'node:events'].includes(path);

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
const importPattern = /^import (?:([^"]*) from )?"([^"]*)";$/gm;

const resolve = (/** @type {string} */ from, /** @type {string} */ path) => posix.join(posix.dirname(from), path);

/** Replaces the files by one, and what others import of them. @type {(folder: string, into: string, files: readonly string[]) => Promise<void>} */
const merge = async (folder, into, files) => {
  const texts = await readTexts(folder);
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
      const rewritten = text.replaceAll(importPattern, (statement, _names, path) =>
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
