import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { cyclesIn, sourceGraph } from '../../test/support/source-graph.ts';

export interface SourceSize {
  readonly files: number;
  readonly lines: number;
  /** Those of `lines` that are in the presets of platforms. */
  readonly presetLines: number;
  /** How often the type `any` is written. */
  readonly any: number;
  readonly cycles: number;
  /** Names that users can import, counted once per subpath. */
  readonly exports: number;
}

/** What `src` holds without the parts for development: console, command line and fakes. */
export const sourceSize = async (root: URL): Promise<SourceSize> => {
  const source = new URL('src/', root);
  const files = globSync('**/*.ts', { cwd: source }).filter((path) => !/^(console|cli|testing)\b/.test(path));
  const read = (path: string) => readFile(new URL(path, source), 'utf8');
  const texts = await Promise.all(files.map(read));
  const ofPresets = await Promise.all(files.filter((path) => presets.test(path)).map(read));
  const surface = await readFile(new URL('test/public-surface.txt', root), 'utf8');
  return {
    files: files.length,
    lines: sum(texts.map(linesOf)),
    presetLines: sum(ofPresets.map(linesOf)),
    any: sum(texts.map(countAny)),
    cycles: cyclesIn(await sourceGraph(source)).length,
    exports: surface.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length,
  };
};

const presets = /^(messaging\/(intercom|zendesk)|crm\/(salesforce|hubspot)|billing\/stripe)\//;

const linesOf = (text: string): number => text.split('\n').length - 1;

const countAny = (text: string): number => {
  let count = 0;
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) count += 1;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('any.ts', text, ts.ScriptTarget.Latest));
  return count;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
