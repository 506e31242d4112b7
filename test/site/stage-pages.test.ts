import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { stagePages } from '../../site/stage-pages.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

/** A repository of these files, staged. */
const stage = async (files: Readonly<Record<string, string>>, pages: Parameters<typeof stagePages>[0]) => {
  const scratch = await makeScratchFolder();
  const root = pathToFileURL(`${scratch.path}/repository/`);
  const folder = pathToFileURL(`${scratch.path}/staged/`);
  for (const [path, text] of Object.entries(files)) {
    const file = new URL(path, root);
    await mkdir(new URL('.', file), { recursive: true });
    await writeFile(file, text);
  }
  const staged = await stagePages(pages, { root, folder });
  return {
    staged: staged.map((file) => relative(scratch.file('staged'), file)),
    textOf: (path: string) => readFile(new URL(path, folder), 'utf8'),
    [Symbol.asyncDispose]: scratch.remove,
  };
};

test('a page keeps its text below its name, what it is about, and its place', async () => {
  await using site = await stage(
    { 'README.md': '# Start\n', 'docs/tools.md': '# Tools for a "model"\n\nRegister.\n' },
    [
      { path: 'README.md', name: 'README' },
      { path: 'docs/tools.md', name: 'Tools', about: 'register them' },
    ],
  );

  expect(site.staged).toEqual(['README.md', 'docs/tools.md']);
  expect(await site.textOf('README.md')).toBe('# Start\n');
  expect(await site.textOf('docs/tools.md')).toBe(
    '---\ntitle: "Tools"\nsummary: "Register them."\nplace: "tools"\n---\n\n# Tools for a "model"\n\nRegister.\n',
  );
});

test('a page without a description is described by its first paragraph', async () => {
  const page =
    '# Outbox\n\n```ts\nconst outbox = 1;\n```\n\nEvents leave\nthrough an [`outbox`](outbox.md).\n\nMore.\n';
  await using site = await stage({ 'docs/outbox.md': page }, [{ path: 'docs/outbox.md', name: 'Outbox' }]);

  expect(await site.textOf('docs/outbox.md')).toContain('summary: "Events leave through an outbox."\n');
});

test('an example that a page links to becomes a page, and so do the files of a folder', async () => {
  await using site = await stage(
    {
      'docs/tools.md': '[one](../examples/one.ts), [all](../examples/all/#a), `[no](../examples/no.ts)`',
      'examples/one.ts': 'export const one = 1;\n',
      'examples/all/a.ts': 'export const a = 1;\n',
      'examples/all/b/c.ts': 'export const c = 1;\n',
    },
    [{ path: 'docs/tools.md', name: 'Tools' }],
  );

  expect(site.staged).toEqual(['docs/tools.md', 'examples/all.md', 'examples/one.ts.md']);
  expect(await site.textOf('docs/tools.md')).toContain(
    '[one](../examples/one.ts.md), [all](../examples/all.md#a), `[no](../examples/no.ts)`',
  );
  expect(await site.textOf('examples/one.ts.md')).toContain('# one.ts\n\n```ts\nexport const one = 1;\n```\n');
  expect(await site.textOf('examples/all.md')).toContain(
    '# all\n\n## a.ts\n\n```ts\nexport const a = 1;\n```\n\n## b/c.ts\n\n```ts\nexport const c = 1;\n```\n',
  );
});

test('images and data that a page links to stand where its links lead', async () => {
  await using site = await stage(
    { 'docs/a.md': '![a](images/a.svg) <img src="images/b.svg">', 'docs/images/a.svg': 'a', 'docs/images/b.svg': 'b' },
    [{ path: 'docs/a.md', name: 'A' }],
  );

  expect(await site.textOf('docs/images/a.svg')).toBe('a');
  expect(await site.textOf('docs/images/b.svg')).toBe('b');
});

test('a page outside the table of contents that another links to comes along', async () => {
  await using site = await stage(
    { 'docs/a.md': '[b](../examples/all/README.md)', 'examples/all/README.md': '# All of it\n' },
    [{ path: 'docs/a.md', name: 'A' }],
  );

  expect(site.staged).toEqual(['docs/a.md', 'examples/all/README.md']);
  expect(await site.textOf('examples/all/README.md')).toContain(
    'title: "All of it"\nsummary: ""\nplace: "examples/all/index"',
  );
});
