/** `npm run example NAME` runs examples/NAME.ts; without a name it lists them. Other folders hold the parts of examples. */
import { globSync } from 'node:fs';
import { relative } from 'node:path';

const folder = new URL('../examples/', import.meta.url);
const names = globSync('{*,platforms/*,tools/*,webhooks/*}.ts', { cwd: folder })
  .map((file) => file.replaceAll('\\', '/').replace(/\.ts$/, ''))
  .toSorted();

const [name, ...rest] = process.argv.slice(2);
if (name !== undefined && names.includes(name)) {
  const file = new URL(`${name}.ts`, folder);
  // The example reads its own arguments where a program expects them.
  process.argv = [process.argv[0] ?? 'node', relative('.', file.pathname), ...rest];
  await import(file.href);
} else {
  console.error(`${name === undefined ? 'Say which example' : `There is no example "${name}"`}: ${names.join(', ')}`);
  process.exitCode = 2;
}
