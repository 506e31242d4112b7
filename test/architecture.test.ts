import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { cyclesIn, type Graph, importsOf, sourceGraph } from './support/source-graph.ts';

/**
 * Who may import whom: a file imports only from rows above its own, and from its own folder.
 * The folders of one row do not know each other. A new folder gets its place here.
 * A part of a folder may stand in a row of its own, higher than the rest.
 */
const rows: readonly (readonly string[])[] = [
  ['core'],
  ['phone', 'observability'],
  ['stores/ports'],
  ['stores'],
  ['http', 'signature'],
  ['auth'],
  ['http/transport', 'api'],
  ['messaging', 'crm', 'billing', 'webhooks', 'outbox'],
  ['phone-call/steps', 'webhooks/messaging-events'],
  ['tools', 'webhooks/index'],
  ['tools/providers', 'webhooks/adapters'],
  ['phone-call'],
  ['integration'],
  ['tenants'],
  ['index'],
  ['dev/testing', 'dev/console'],
  ['dev/cli'],
];

let graph: Graph = {};
beforeAll(async () => {
  graph = await sourceGraph(source);
  // Every file is parsed.
});

test('every import leads downwards, no folder knows its neighbour, nothing goes in circles', () => {
  expect(violations(graph)).toEqual([]);
});

test('the graph is the real one', () => {
  expect(Object.keys(graph).length).toBeGreaterThan(10);
  expect(graph['http/middleware/retry']).toContain('package:p-retry');
  expect(graph['core/schema']).toContain('package:zod');
});

test('every client is made by one function, and its requests by another', async () => {
  const own = ['api/connect-api.ts', 'http/client.ts'];
  const sources = globSync('**/*.ts', { cwd: source }).map(
    async (file) => [file, await readFile(new URL(file, source), 'utf8')] as const,
  );
  const makers = (await Promise.all(sources)).filter(
    ([file, text]) => /\bcreateHttpClient\b/.test(text) && !own.includes(file),
  );
  expect(makers.map(([file]) => file)).toEqual([]);
  for (const client of ['api/create-api-client', 'billing/client', 'messaging/client', 'crm/client'])
    expect(graph[client]).toContain('api/connect-api');
  for (const operations of ['api/create-api-client', 'billing/client', 'messaging/client', 'crm/records'])
    expect(graph[operations]).toContain('api/entry');
});

test('a resource of messaging is in four files', () => {
  const importers = Object.entries(graph).filter(([, imports]) => imports.includes('messaging/articles'));
  expect(importers.map(([file]) => file)).toEqual(['messaging/client', 'messaging/dialect', 'messaging/index']);
});

test('nothing is spread on a condition', async () => {
  const files = globSync('**/*.{ts,js}', { cwd: source });
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, source), 'utf8')));
  const found = files.filter((_file, index) => conditionalSpread.test(texts[index] ?? ''));

  expect(found).toEqual([]);
  expect(
    ['...(a && { b })', '...(a ? { b } : {})', '...(a === 1 ? {} : { b })'].every((one) => conditionalSpread.test(one)),
  ).toBe(true);
});

/** `withoutUndefined({ … })` says the same without a condition. */
const conditionalSpread = /\.\.\.\((?:[^()]|\([^()]*\))*(?:&& \{|\? \{\} :|\} : \{\}\))/;

test('a new tool, resource, metric or endpoint of a preset is in at most four files, which the page lists', async () => {
  const page = await readFile(new URL('../docs/architecture.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| A new | such as | is in |');
  const examples = [...table.matchAll(/^\| ([a-z ]+) \| `([^`]+)` \| (.+) \|$/gm)];
  const core = globSync('**/*.ts', { cwd: source }).filter((path) => !path.startsWith('dev'));
  const texts = await Promise.all(
    core.map(async (path) => {
      const text = await readFile(new URL(path, source), 'utf8');
      return { path: path.replaceAll('\\', '/'), code: text.replaceAll(/\/\*[\s\S]*?\*\//g, '') };
    }),
  );

  expect(examples.map(([, kind]) => kind)).toEqual(['tool', 'resource', 'metric', 'endpoint of a preset']);
  for (const [, , name = '', files = ''] of examples) {
    const found = texts.filter(({ code }) => isNamedIn(code, name)).map(({ path }) => path);
    expect(found.toSorted()).toEqual([...files.matchAll(/`([^`]+)`/g)].map(([, path]) => path));
    expect(found.length).toBeLessThanOrEqual(4);
  }
});

/** `dataEvents` is also `DataEvent` and `dataEventEndpoints`; other names are texts of their own. */
const isNamedIn = (code: string, name: string): boolean =>
  /^[a-z]+[A-Z]\w+s$/.test(name)
    ? new RegExp(name.slice(0, -1), 'i').test(code)
    : code.includes(`'${name}'`) || code.includes(`  ${name}:`);

test('the picture of the folders has the same rows, and the page the layers in their order', async () => {
  const picture = await readFile(new URL('../docs/images/folders.svg', import.meta.url), 'utf8');
  const page = await readFile(new URL('../docs/architecture.md', import.meta.url), 'utf8');
  const stack = await readFile(new URL('http/stack.ts', source), 'utf8');
  const drawn = [...picture.matchAll(/class="name"[^>]*>([^<]+)</g)].map(([, names = '']) => names.split(/ +/));
  const layers = [
    ...(page.match(/```text\n([\s\S]*?)```/)?.[1] ?? '').matchAll(/^([a-z]+[A-Z]\w+|retry|authenticate)\b/gm),
  ];
  const places = layers.map(([layer]) => stack.lastIndexOf(` ${layer}`, stack.indexOf('stack.filter')));

  expect(drawn.toReversed()).toEqual(rows);
  expect(places.length).toBe(17);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('the page names only files and folders that are there', async () => {
  const page = await readFile(new URL('../docs/architecture.md', import.meta.url), 'utf8');
  const paths = globSync('**', { cwd: source }).map((path) => `/src/${path.replaceAll('\\', '/')}`);
  const named = [...page.matchAll(/`([\w./-]+\.ts|(?:[\w-]+\/)+[\w-]+)`/g)].map(([, name = '']) => name);
  const isThere = (name: string) =>
    existsSync(new URL(`../${name}`, import.meta.url)) || paths.some((path) => path.endsWith(`/${name}`));

  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});

test.each<[rule: string, graph: Graph, expected: readonly string[]]>([
  [
    'what is allowed passes',
    { 'http/client': ['http/retry', 'core/errors'], 'http/retry': ['core/errors'], 'core/errors': [] },
    [],
  ],
  [
    'an import from a later row is refused',
    { 'http/client': ['messaging/client'], 'messaging/client': [] },
    ['http/client imports messaging/client: http is below messaging'],
  ],
  [
    'an import between two folders of one row is refused',
    { 'crm/client': ['billing/client'], 'billing/client': [] },
    ['crm/client imports billing/client: crm and billing do not know each other'],
  ],
  [
    'a cycle is refused',
    { 'http/a': ['http/b'], 'http/b': ['http/c'], 'http/c': ['http/a'] },
    ['http/a -> http/b -> http/c -> http/a is a cycle'],
  ],
  ['a file that imports itself is refused', { 'http/a': ['http/a'] }, ['http/a -> http/a is a cycle']],
  [
    'a cycle off the way to it is found too',
    { 'http/a': ['http/b'], 'http/b': ['http/c'], 'http/c': ['http/b'] },
    ['http/b -> http/c -> http/b is a cycle'],
  ],
  [
    'a second importer of a package is refused',
    { 'http/ky': ['package:ky'], 'auth/token': ['package:ky'] },
    ['ky is imported by http/ky and auth/token: it has one door'],
  ],
  [
    'one importer of a package, and any number of Node itself and of zod, are fine',
    { 'http/ky': ['package:ky', 'node:net', 'package:zod'], 'http/b': ['node:net', 'package:zod'] },
    [],
  ],
  [
    'testing is for tests: nothing else imports it',
    { index: ['dev/testing/index'], 'dev/testing/index': [] },
    ['index imports dev/testing/index: index is below dev/testing'],
  ],
  [
    'a part with a row of its own may import the rest of its folder',
    {
      'webhooks/messaging-events/topics': ['webhooks/receiver', 'messaging/contacts'],
      'webhooks/receiver': [],
      'messaging/contacts': [],
    },
    [],
  ],
  [
    'the rest of the folder may not import such a part',
    { 'tools/toolbox': ['tools/providers/openai'], 'tools/providers/openai': [] },
    ['tools/toolbox imports tools/providers/openai: tools is below tools/providers'],
  ],
  ['a folder without a row is refused', { 'plumbing/pipe': [] }, ['plumbing/pipe: plumbing has no row']],
  ['a file in the hall is refused', { helpers: [] }, ['helpers: helpers has no row']],
  [
    'an import of a file that is not there is refused',
    { 'http/a': ['http/gone'] },
    ['http/a imports http/gone, which is not there'],
  ],
])('%s', (_rule, graph, expected) => {
  expect(violations(graph)).toEqual(expected);
});

test.each([
  ['a value', "import { a } from '../b.ts';", ['b']],
  ['a type', "import type { A } from '../b.ts';", ['b']],
  ['a type inside a list', "import { type A } from '../b.ts';", ['b']],
  ['a type in place', "type A = import('../b.ts').A;", ['b']],
  ['what is passed on', "export * from './c.ts'; export type { D } from './d.ts';", ['http/c', 'http/d']],
  ['what is loaded later', "const a = await import('ky');", ['package:ky']],
  [
    'a part of a package',
    "import { a } from '@scope/name/part'; import b from 'zod/mini';",
    ['package:@scope/name', 'package:zod'],
  ],
  ['Node', "import { connect } from 'node:net';", ['node:net']],
  ['an import behind a regular expression', "const a = /['`]/; import b from 'ky';", ['package:ky']],
  ['no word in a comment or a text', "// import a from 'ky'\nconst b = \"import c from 'ky'\";", []],
])('reads %s', (_what, text, expected) => {
  expect(importsOf('http/a', text)).toEqual(expected);
});

const violations = (graph: Graph): string[] => [
  ...Object.keys(graph).flatMap((file) => (rowOf(file) < 0 ? [`${file}: ${unitOf(file)} has no row`] : [])),
  ...Object.entries(graph).flatMap(([file, imports]) =>
    imports
      .filter(isFile)
      .flatMap((imported) =>
        imported in graph ? arrowProblem(file, imported) : [`${file} imports ${imported}, which is not there`],
      ),
  ),
  ...cyclesIn(graph),
  ...packagesWithSeveralDoors(graph),
];

const isFile = (imported: string) => !imported.startsWith('package:') && !imported.startsWith('node:');

/** The row's entry that the file belongs to, the most exact one; its first folder when there is none. */
const unitOf = (file: string) =>
  rows
    .flat()
    .filter((unit) => file === unit || file.startsWith(`${unit}/`))
    .toSorted((a, b) => b.length - a.length)[0] ??
  file.split('/')[0] ??
  file;

const rowOf = (file: string) => rows.findIndex((row) => row.includes(unitOf(file)));

const arrowProblem = (from: string, to: string): string[] => {
  const [own, other] = [unitOf(from), unitOf(to)];
  if (own === other || rowOf(from) < 0 || rowOf(to) < 0 || rowOf(from) > rowOf(to)) return [];
  if (rowOf(from) < rowOf(to)) return [`${from} imports ${to}: ${own} is below ${other}`];
  return [`${from} imports ${to}: ${own} and ${other} do not know each other`];
};

/** Used as their README shows, in any file. */
const withoutDoor = ['package:zod', 'package:lru-cache', 'package:bullmq'];

const packagesWithSeveralDoors = (graph: Graph): string[] => {
  const packages = new Set(
    Object.values(graph)
      .flat()
      .filter((imported) => imported.startsWith('package:') && !withoutDoor.includes(imported)),
  );
  return [...packages].flatMap((name) => {
    const doors = Object.keys(graph).filter((file) => graph[file]?.includes(name));
    return doors.length > 1
      ? [`${name.slice('package:'.length)} is imported by ${doors.join(' and ')}: it has one door`]
      : [];
  });
};

const source = new URL('../src/', import.meta.url);
