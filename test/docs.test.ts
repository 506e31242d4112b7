import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { InvalidArgumentError } from '../src/core/errors.ts';
import { checkSnippets, type Snippet } from './support/check-snippets.ts';
import { copiedFiles } from './support/copied-files.ts';
import { blocksOf } from './support/page-blocks.ts';
import { publicNames } from './support/public-names.ts';
import { runCommand } from './support/run-command.ts';
import { subpaths } from '../scripts/subpaths.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: root }),
]
  .map((page) => page.replaceAll('\\', '/'))
  .toSorted();
const isRoot = (page: string) => !page.startsWith('docs/');
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

const snippetsOf = (page: string): readonly Snippet[] => [
  ...copiedFiles(textOf(page)).map((file) => ({ page, ...file, line: 1 })),
  ...blocksOf(textOf(page)).flatMap(({ language, ...block }) => (language === 'ts' ? [{ page, ...block }] : [])),
];

const wrong: Snippet = { page: 'wrong.md', line: 7, code: 'const id = 1;\nbilling.customers.get(id);\n' };

describe('the snippets in the documentation', () => {
  let problems: readonly string[];
  beforeAll(async () => {
    problems = await checkSnippets([...pages.flatMap(snippetsOf), wrong]);
  });

  test('compile against the source', () => {
    expect(problems.filter((problem) => !problem.startsWith(wrong.page))).toEqual([]);
  });

  test('would be found out if they did not', () => {
    expect(problems.filter((problem) => problem.startsWith(wrong.page))).toEqual([
      "wrong.md:8: Argument of type 'number' is not assignable to parameter of type 'string'.",
    ]);
  });
});

test('the agent that the examples of voice platforms import is the one of their guides', () => {
  const agent = blocksOf(textOf('docs/voice-platforms/README.md')).find(({ file }) => file === 'agent.ts');

  expect(agent?.code).toBe(textOf('examples/voice-platforms/agent.ts'));
});

test('a secret is read from the environment, except on the pages about vaults', () => {
  const vaults = ['docs/credentials.md', 'docs/tenants.md'];

  expect(pages.filter((page) => !vaults.includes(page) && textOf(page).includes('secrets.read('))).toEqual([]);
});

test('llms.txt leads to every page', () => {
  const linked = linksOf(textOf('llms.txt'));

  expect(linked.filter((link) => !leadsSomewhere('llms.txt', link))).toEqual([]);
  expect(pages.filter((page) => !page.startsWith('docs/decisions/0') && !linked.includes(page))).toEqual([]);
});

let names: ReturnType<typeof publicNames>;
beforeAll(() => {
  names = publicNames();
});

describe('the documentation says something about', () => {
  test.each<[kind: string, where: readonly string[]]>([
    ['connectionOptions', ['docs/clients.md', 'docs/middleware.md']],
    ['requestOptions', ['docs/clients.md']],
    ['operations', ['docs/clients.md', 'docs/default-api.md']],
    ['eventTypes', ['docs/clients.md', 'docs/outbox.md']],
    ['errorFields', ['docs/errors.md']],
    ['exhaustedReasons', ['docs/errors.md']],
  ])('all %s', (kind, where) => {
    const text = where.map(textOf).join('\n');
    const ofKind = names.get(kind) ?? [];

    expect(ofKind.length).toBeGreaterThan(2);
    expect(ofKind.filter((name) => !isNamedIn(text, name) && !text.includes(`\n### ${name}\n`))).toEqual([]);
  });
});

test('every import has its row on the page of imports, and no other', () => {
  const listed = [...textOf('docs/subpaths.md').matchAll(/^\| `([^`]+)` \|/gm)].map(([, specifier]) => specifier);

  expect(new Set(listed)).toEqual(new Set(subpaths.map(({ specifier }) => specifier)));
});

test('examples/README.md has every example that can be run by its name', () => {
  const listed = [...textOf('examples/README.md').matchAll(/\]\(([\w/-]+)\.ts\)/g)].map(([, name]) => name);
  const files = globSync('{*,platforms/*,tools/*,webhooks/*}.ts', { cwd: join(root, 'examples') });

  expect(new Set(listed)).toEqual(new Set(files.map((file) => file.replaceAll('\\', '/').replace(/\.ts$/, ''))));
});

test('the help that each error names is a heading of the page on errors', () => {
  const codes = names.get('errorCodes') ?? [];
  const { help } = new InvalidArgumentError('amount', 'must be greater than 0');

  expect(help).toBe('node_modules/voice-agent-integrations/docs/errors.md#invalid_argument');
  expect(codes.filter((code) => !anchorsOf(textOf('docs/errors.md')).includes(code))).toEqual([]);
});

test('the tests that decisions name are there', () => {
  const named = pages
    .filter((page) => page.startsWith('docs/decisions/'))
    .flatMap((page) => [...textOf(page).matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path));

  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

describe('the links in the documentation', () => {
  test('lead to what exists', () => {
    const broken = pages.flatMap((page) =>
      linksOf(textOf(page)).flatMap((link) => (leadsSomewhere(page, link) ? [] : [`${page}: ${link}`])),
    );

    expect(broken).toEqual([]);
  });

  test('lead to every page and every decision', () => {
    const linked = new Set(
      pages.flatMap((page) => linksOf(textOf(page)).map((link) => join(dirname(page), link.split('#')[0] ?? ''))),
    );

    expect(pages.filter((page) => !isRoot(page) && !linked.has(page))).toEqual([]);
  });

  test('lead to what the tarball has, or their line says that it is in the repository', async () => {
    const listed = await runCommand('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: root });
    const [{ files }] = JSON.parse(listed) as [{ readonly files: readonly { readonly path: string }[] }];
    const packed = new Set(files.flatMap(({ path }) => [path, dirname(path)]));
    const dead = [...packed]
      .filter((file) => /\.(md|txt)$/.test(file))
      .flatMap((page) => {
        const lines = textOf(page).split('\n');
        const links = linksOf(lines.filter((line) => !/in the repository/i.test(line)).join('\n'));
        return links.filter((link) => !packed.has(targetOf(page, link))).map((link) => `${page}: ${link}`);
      });

    expect(packed.size).toBeGreaterThan(100);
    expect(dead).toEqual([]);
  });

  test('would be found out if they did not', () => {
    const markdown = 'See [this](docs/errors.md), [that](docs/nowhere.md) and [there](docs/errors.md#nowhere).';

    expect(linksOf(markdown).filter((link) => !leadsSomewhere('README.md', link))).toEqual([
      'docs/nowhere.md',
      'docs/errors.md#nowhere',
    ]);
  });
});

/** In code as a whole, or once for several objects: `.get` in a table of what `leads`, `contacts` … have. */
const isNamedIn = (text: string, name: string): boolean => {
  const has = (code: string) => text.includes(`\`${code}\``);
  const dot = name.lastIndexOf('.');
  return has(name) || (dot > 0 && has(name.slice(0, dot)) && has(name.slice(dot)));
};

/** The relative links; code is no prose. */
const linksOf = (markdown: string): readonly string[] =>
  [...markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

const targetOf = (page: string, link: string): string => {
  const [path = ''] = link.split('#');
  return path === '' ? page : join(dirname(page), path).replaceAll('\\', '/').replace(/\/$/, '');
};

const leadsSomewhere = (page: string, link: string): boolean => {
  const [, anchor] = link.split('#');
  const target = targetOf(page, link);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(textOf(target)).includes(anchor);
};

/** As GitHub makes them of headings. */
const anchorsOf = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
