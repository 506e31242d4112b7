import { expect, test } from 'vitest';
import { plain, sectionsOfPage } from '../../site/search/sections.ts';

test('a page is its beginning and what follows each heading, with code apart', () => {
  const page =
    '# Webhooks\n\nOne.\n\n```sh\n# no heading\nrun\n```\n\n## Signatures of `x`\n\nTwo\nlines.\n\n### More\n';

  expect(sectionsOfPage(page)).toEqual([
    { heading: undefined, text: 'One.', code: '# no heading run' },
    { heading: 'Signatures of x', text: 'Two lines.', code: '' },
    { heading: 'More', text: '', code: '' },
  ]);
});

test.each([
  ['a [link](a.md#b) and `code`', 'a link and code'],
  ['![The page](images/a.png) **Bold.**', 'Bold.'],
  ['| a | b |\n|---|---|\n| `x` | y |', 'a · b x · y'],
  ['- one\n- two\n1. three\n> four', 'one two three four'],
])('%j is read as %j', (markdown, text) => {
  expect(plain(markdown)).toBe(text);
});
