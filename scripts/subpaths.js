import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Subpath
 * @property {string} specifier what users import, such as `voice-agent-integrations/auth`
 * @property {string} entry the built file without its ending, such as `auth/index`
 * @property {URL} source the file it is built from
 */

const root = new URL('../', import.meta.url);

/** @type {{ name: string, exports: Record<string, string | { types: string, default: string }> }} */
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

/**
 * The public subpaths, read from `exports` in package.json: the one place where they are listed.
 * The build, the tests and the scripts all take theirs from here.
 * @type {readonly Subpath[]}
 */
export const subpaths = Object.entries(manifest.exports).flatMap(([subpath, target]) => {
  if (typeof target === 'string') return [];
  const entry = target.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '');
  return [{ specifier: manifest.name + subpath.slice(1), entry, source: new URL(`src/${entry}.ts`, root) }];
});
