/** Writes parts of a starter into the file that imports them: a reader has one file for what belongs together. */

const imports = /^import (type )?\{ ([^}]+) \} from '([^']+)';\n/gm;
const declarations = /^export const (\w+) = ([\s\S]+?);\n(?=\n|$)/gm;

/** Replaces each value of a part where the file uses it: `  crm,` becomes `  crm: hubspot({ … }),`. Merges the imports. */
export const withValues = (code: string, parts: readonly string[]): string => {
  const values = parts.flatMap((part) => [...part.matchAll(declarations)]);
  const body = values.reduce(
    (text, [, name = '', value = '']) =>
      text.replace(`\n  ${name},\n`, () => `\n  ${name}: ${value.replaceAll('\n', '\n  ')},\n`),
    code.replaceAll(imports, ''),
  );
  return `${importsOf([code, ...parts])}${body}`;
};

const importsOf = (texts: readonly string[]): string => {
  const found = texts.flatMap((text) => [...text.matchAll(imports)]).filter(([, , , from = '']) => !isPart(from));
  const heads = new Set(found.map(([, type = '', , from]) => `${from} ${type}`));
  return [...heads]
    .toSorted()
    .map((head) => {
      const [from, type] = head.split(' ');
      const names = found.flatMap(([, own = '', list = '', of]) => (`${of} ${own}` === head ? list.split(', ') : []));
      const sorted = [...new Set(names)].toSorted((one, other) => one.localeCompare(other));
      return `import ${type ? 'type ' : ''}{ ${sorted.join(', ')} } from '${from}';\n`;
    })
    .join('');
};

const isPart = (from: string): boolean => from.startsWith('./');

/** Declares what the part exports in the file that imports it, after the imports. */
export const withDeclaration = (
  code: string,
  { from, part }: { readonly from: string; readonly part: string },
): string => {
  const lines = code.split('\n').filter((line) => !line.endsWith(` from '${from}';`));
  const last = lines.findLastIndex((line) => line.startsWith('import '));
  return [...lines.slice(0, last + 1), '', part.trim().replace('export ', ''), ...lines.slice(last + 1)].join('\n');
};
