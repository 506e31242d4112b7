import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ownText, writePages } from '../../scripts/platform-pages.ts';

const pages = [...writePages()];

test.each(pages.map(([url, text]) => [url.pathname.split('/').at(-1), url, text] as const))(
  'docs/%s is what npm run docs:platforms writes',
  (_name, url, text) => {
    expect(readFileSync(url, 'utf8')).toBe(text);
  },
);

test('what is written is no text of the page itself', () => {
  const page = pages[0]?.[1] ?? '';

  expect(page).toContain('Checked on ');
  expect(ownText(page)).not.toContain('Checked on ');
  expect(ownText(page)).toContain('# ');
});
