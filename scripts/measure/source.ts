import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { cyclesIn, type Graph, sourceGraph } from '../../test/support/source-graph.ts';

/** The counts, by their names in goals.json. */
export type Measures = Readonly<Record<string, number>>;

/** A file of core, which is `src` without `dev`. */
interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** Counts what the house is measured by. */
export const measureSource = async (root: URL): Promise<Measures> => {
  const source = new URL('src/', root);
  const graph = await sourceGraph(source);
  const files = await readCore(source);
  const docstrings = files.flatMap(({ text }) => firstWordsOf(text));
  const surface = await readFile(new URL('test/public-surface.txt', root), 'utf8');
  return {
    'lines of core': sum(files.map(({ text }) => linesOf(text))),
    'files of core': files.length,
    'presets of platforms: lines': sum(files.filter(({ path }) => presets.test(path)).map(({ text }) => linesOf(text))),
    'rooms: folders that import each other': new Set(Object.keys(graph).filter(isCode).map(roomOf)).size,
    'arrows between rooms': arrowsIn(graph),
    'files that hold a part of a company': files.filter(holdsCompany).length,
    'files that a metric is in': files.filter(({ text }) => withoutComments(text).includes("'retries_total'")).length,
    'lines for claims in the largest engine': linesForClaims(files),
    'functions over 100 lines': sum(files.map(({ tree }) => longFunctionsIn(tree))),
    'names that two files export': repeatedNamesIn(files).length,
    'docstrings that begin with a noun clause, in %': percent(
      docstrings.filter(isNounClause).length,
      docstrings.length,
    ),
    exports: surface.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length,
    'import cycles': cyclesIn(graph).length,
    'types any': sum(files.map(({ tree }) => count(tree, ({ kind }) => kind === ts.SyntaxKind.AnyKeyword))),
  };
};

/** Lists the places behind a number, so that it can be lowered. */
export const placesBehind = async (root: URL): Promise<Readonly<Record<string, readonly string[]>>> => {
  const files = await readCore(new URL('src/', root));
  return {
    'files that hold a part of a company': files.filter(holdsCompany).map(({ path }) => path),
    'functions over 100 lines': files
      .map(({ path, tree }) => `${path} ${longFunctionsIn(tree)}`)
      .filter((line) => !line.endsWith(' 0')),
    'names that two files export': repeatedNamesIn(files),
    'docstrings that begin with a noun clause': files
      .map(({ path, text }) => `${firstWordsOf(text).filter(isNounClause).length} ${path}`)
      .filter((line) => !line.startsWith('0 '))
      .toSorted((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10)),
  };
};

const readCore = async (source: URL): Promise<readonly SourceFile[]> => {
  const paths = globSync('**/*.ts', { cwd: fileURLToPath(source) })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('dev/'))
    .toSorted();
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(new URL(path, source), 'utf8');
      return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest) };
    }),
  );
};

const presets = /^(messaging\/(intercom|zendesk)|crm\/(salesforce|hubspot)|billing\/stripe)\//;

const linesOf = (text: string): number => text.split('\n').length - 1;

const isCode = (path: string): boolean => !path.endsWith('.json');

/** A top-level folder or file, or a part of a folder that has a room of its own. */
const roomOf = (path: string): string =>
  /^(stores\/ports|http\/transport|phone-call\/steps|tools\/(payments|agreement|ready|providers)|dev\/\w+)(?=\/)/.exec(
    path,
  )?.[0] ??
  path.split('/')[0] ??
  '';

const arrowsIn = (graph: Graph): number => {
  const arrows = Object.entries(graph).flatMap(([file, imported]) =>
    imported
      .filter((other) => other in graph && isCode(other) && roomOf(other) !== roomOf(file))
      .map((other) => `${roomOf(file)} > ${roomOf(other)}`),
  );
  return new Set(arrows).size;
};

/** Of the client, without its presets and the list of what users import. */
const holdsCompany = ({ path, text }: SourceFile): boolean =>
  /^messaging\/[\w-]+\.ts$/.test(path) && path !== 'messaging/index.ts' && /compan(y|ies)/i.test(withoutComments(text));

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\//g, '');

const linesForClaims = (files: readonly SourceFile[]): number => {
  const lines = new Map<string, number>();
  for (const { path, text } of files) {
    const [, engine] =
      /^stores\/(?:(memory)-idempotency-store|(?:(\w+)\/(?:idempotency-store|claim-tables)))\.ts$/
        .exec(path)
        ?.filter((part) => part !== undefined) ?? [];
    if (engine !== undefined && engine !== 'ports') lines.set(engine, (lines.get(engine) ?? 0) + linesOf(text));
  }
  return Math.max(...lines.values());
};

const longFunctionsIn = (tree: ts.SourceFile): number =>
  count(tree, (node) => ts.isFunctionLike(node) && 'body' in node && linesOf(node.getText(tree)) >= 100);

/** Each name that is declared and exported in more than one file, with the files. */
const repeatedNamesIn = (files: readonly SourceFile[]): string[] => {
  const declared = new Map<string, Set<string>>();
  for (const { path, text } of files)
    for (const [, name = ''] of text.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm))
      declared.set(name, (declared.get(name) ?? new Set()).add(path));
  return [...declared]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join(', ')}`);
};

const firstWordsOf = (text: string): string[] =>
  [...text.matchAll(/\/\*\*\s+(?:\*\s+)?([\w']+)/g)].map(([, word = '']) => word);

const isNounClause = (word: string): boolean =>
  /^(What|How|Whether|Where|Who|Why|Which|As|Of|By|Those|That)$/.test(word);

const percent = (part: number, whole: number): number => Math.round((part / whole) * 1000) / 10;

const count = (tree: ts.Node, isCounted: (node: ts.Node) => boolean): number => {
  let found = 0;
  const visit = (node: ts.Node): void => {
    if (isCounted(node)) found += 1;
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
