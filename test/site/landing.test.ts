import { expect, test } from 'vitest';
import { landingPage } from '../../site/landing.ts';

const readme = `# name

One sentence.

**Works with** [a](docs/a.md) · [b](docs/b.md). Tools for c.

See it:

\`\`\`sh
npm run demo
\`\`\`

Elsewhere:

\`\`\`sh
npx demo
\`\`\`

\`\`\`text
what it prints
\`\`\`

## An agent

The code.

## The tools that you have

A table.

## Why

- **One** reason
- **Two** reasons

![The console](docs/images/console.png)

What shows it.

## Guides

| | |
|---|---|
| Start | [a](docs/a.md) · [b](docs/b.md) |
| [Tools](docs/tools.md) | for c |

## What it doesn't do

Little.
`;

test('the start page has the parts of the README, and its picture also in the dark', () => {
  const picture = (theme: string, file: string) =>
    `<img class="in-${theme}" src="docs/images/${file}" alt="The console" width="1080" height="700" loading="lazy">`;

  expect(landingPage(readme).split(/\n{2,}/)).toEqual([
    '<div class="hero">',
    '<div class="hero-text">',
    '# name',
    'One sentence.',
    '<div class="works-with">',
    '**Works with** [a](docs/a.md) · [b](docs/b.md).',
    'Tools for c.',
    '</div>',
    'See it:',
    '```sh\nnpm run demo\n```',
    'Elsewhere:',
    '```sh\nnpx demo\n```',
    '</div>',
    '<div class="hero-picture">',
    picture('light', 'console.png'),
    picture('dark', 'console-dark.png'),
    'What shows it.',
    '</div>',
    '</div>',
    '## An agent',
    'The code.',
    '## The tools that you have',
    'A table.',
    '## Why',
    '<div class="cards">',
    '- **One** reason\n- **Two** reasons',
    '</div>',
    '## Guides',
    '<div class="cards">',
    '- **Start**<br>[a](docs/a.md) · [b](docs/b.md)\n- **[Tools](docs/tools.md)**<br>for c',
    '</div>',
    "## What it doesn't do",
    'Little.\n',
  ]);
});

test.each(['**Works with**', '```sh', '![', '## Why', '## Guides'])(
  'a README without %s makes no start page',
  (part) => {
    expect(() => landingPage(readme.replaceAll(part, 'Another'))).toThrow('README.md lacks a part of the start page');
  },
);
