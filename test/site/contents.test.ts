import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addressOf } from '../../site/address.ts';
import { sectionsOf, tableOfContents } from '../../site/contents.ts';

const root = new URL('../../', import.meta.url);

test('the site has every page of the repository, each once', () => {
  const onDisk = ['*.md', 'docs/**/*.md']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((path) => path !== 'AGENTS.md');

  const listed = tableOfContents(root).flatMap(({ pages }) => pages.map(({ path }) => path));

  expect(listed.toSorted()).toEqual(onDisk.map((path) => path.replaceAll('\\', '/')).toSorted());
});

test('each page has an address of its own', () => {
  const addresses = tableOfContents(root).flatMap(({ pages }) => pages.map(({ path }) => addressOf(path)));

  expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([]);
});

test('a reader begins with at most eight pages', () => {
  const [start] = tableOfContents(root);

  expect(start?.title).toBe('Start');
  expect(start?.pages.length).toBeLessThanOrEqual(8);
});

test('the start page comes first, the decisions last and by number', () => {
  const contents = tableOfContents(root);

  expect(contents[0]?.pages[0]?.path).toBe('README.md');
  expect(contents.at(-1)?.title).toBe('Decisions');
  expect(contents.at(-1)?.pages[0]).toEqual({
    path: 'docs/decisions/0001-attempts-and-time.md',
    name: '1. Attempts and time of a call',
  });
});

test('a section is a heading with links; what follows a link says what its page is about', () => {
  const sections = sectionsOf(`# A project

> What it is.

## Begin

- [Tools](docs/tools.md): register them,
  in one line

## More

- [One](ONE.md), [Two](TWO.md)
`);

  expect(sections).toEqual([
    { title: 'Begin', pages: [{ path: 'docs/tools.md', name: 'Tools', about: 'register them, in one line' }] },
    {
      title: 'More',
      pages: [
        { path: 'ONE.md', name: 'One' },
        { path: 'TWO.md', name: 'Two' },
      ],
    },
  ]);
});
