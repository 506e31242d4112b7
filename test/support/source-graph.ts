import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { importsIn } from './imports-in.ts';

/** A file of src without its ending, and what it imports: other such files, or packages. Types count too. */
export type Graph = Readonly<Record<string, readonly string[]>>;

export const sourceGraph = async (source: URL): Promise<Graph> => {
  const files = globSync('**/*.ts', { cwd: source }).toSorted();
  const nodes = files.map(async (path) => {
    const file = path.replaceAll('\\', '/').replace(/\.ts$/, '');
    return [file, importsOf(file, await readFile(new URL(path, source), 'utf8'))] as const;
  });
  const data = globSync('**/*.json', { cwd: source }).map((path) => [path.replaceAll('\\', '/'), []] as const);
  return Object.fromEntries([...data, ...(await Promise.all(nodes))]);
};

/** Every cycle, as the files on the way round. */
export const cyclesIn = (graph: Graph): string[] => {
  const done = new Set<string>();
  const walk = (file: string, way: readonly string[]): string[] => {
    const start = way.indexOf(file);
    if (start >= 0) return [`${[...way.slice(start), file].join(' -> ')} is a cycle`];
    if (done.has(file)) return [];
    const found = (graph[file] ?? []).flatMap((imported) => walk(imported, [...way, file]));
    done.add(file);
    return found;
  };
  return Object.keys(graph).flatMap((file) => walk(file, []));
};

/** The imports of one file. */
export const importsOf = (file: string, text: string): string[] => [
  ...new Set(importsIn(text).map((specifier) => targetOf(file, specifier))),
];

const targetOf = (file: string, specifier: string): string => {
  if (specifier.startsWith('node:')) return specifier;
  if (!specifier.startsWith('.')) {
    const parts = specifier.split('/');
    return `package:${parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')}`;
  }
  return new URL(specifier, `file:///${file}`).pathname.slice(1).replace(/\.ts$/, '');
};
