/** `npm run bench -- twice`: what people have reported, played with their tools and with ours. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { inReadme, pageOf } from './twice/page.ts';
import { playAll } from './twice/play.ts';

const played = await playAll();

test('with this package, what the caller wants once is done once, and what they want twice is done twice', () => {
  const ours = played.filter(({ way }) => way.isOurs);

  expect(ours.length).toBeGreaterThan(20);
  expect(ours.filter(({ made, row }) => made !== row.wanted)).toEqual([]);
  // And the model doesn't read of a failure at the end.
  const good = ({ success, status, error }: Readonly<Record<string, unknown>>) =>
    success === true || status === 'COMPLETE' || error === 'status_unknown';
  expect(ours.filter(({ read = [] }) => !good(JSON.parse(read.at(-1) ?? '') as Record<string, unknown>))).toEqual([]);
});

test('each row does happen to the framework’s own tool', () => {
  const plain = played.filter(({ way }) => way.name.startsWith('ai '));

  expect(plain.map(({ made }) => made)).toEqual(plain.map(() => 2));
});

test('after a cut answer, a framework’s tool fails, and the toolbox says that the end is unknown', () => {
  const read = ['ai ', 'this toolbox, in the AI SDK'].map(
    (way) => played.find((one) => one.way.name.startsWith(way) && one.row.name === 'the answer was cut')?.read?.[0],
  );

  expect(read).toEqual(['TypeError: fetch failed', expect.stringContaining('payment_status_unknown')]);
});

test('the page and the README have the numbers that were found: `npm run bench -- twice` writes it', async () => {
  const [page = '', readme = ''] = await Promise.all(
    ['docs/twice.md', 'README.md'].map((file) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')),
  );

  expect(pageOf(played)).toBe(page);
  expect(readme).toContain('| wanted once, done twice |');
  expect(inReadme(readme, played)).toBe(readme);
});
