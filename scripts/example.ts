/**
 * `npm run example NAME` runs examples/NAME.ts, or plays a phone call to the backend of that name offline; without a name
 * it lists them. Other folders hold the parts of examples.
 */
import { existsSync, globSync } from 'node:fs';
import { relative } from 'node:path';

const folder = new URL('../examples/', import.meta.url);
const files = globSync(['{*,platforms/*,tools/*,webhooks/*}.ts', 'backends/*/offline.ts'], { cwd: folder })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.startsWith('backends/support/'))
  .toSorted();
const named = new Map(files.map((file) => [file.replace(/(\/offline)?\.ts$/, ''), file]));

const [name = '', ...rest] = process.argv.slice(2);
const found = named.get(name);
if (found === undefined) {
  console.error(
    [name === '' ? 'Say which example:' : `There is no example "${name}". There are:`, ...named.keys()].join('\n  '),
  );
  process.exitCode = 2;
} else if (name.startsWith('backends/') && !existsSync(new URL('backends/node_modules', folder))) {
  console.error('The backends have packages of their own. First: npm ci --prefix examples/backends');
  process.exitCode = 2;
} else {
  const file = new URL(found, folder);
  // The example reads its own arguments where a program expects them.
  process.argv = [process.argv[0] ?? 'node', relative('.', file.pathname), ...rest];
  await import(file.href);
}
