import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runPage } from './support/run-page.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const textOf = (page: string) => readFileSync(`${root}${page}`, 'utf8');

test.each(['docs/getting-started.md'])('%s does and prints what it says', async (page) => {
  const ran = await runPage(textOf(page));

  expect(ran.map(({ shown }) => shown)).not.toEqual([]);
  for (const { printed, shown } of ran) expect(shown ?? printed).toBe(printed);
});
