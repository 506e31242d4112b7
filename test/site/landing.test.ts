import { expect, test } from 'vitest';
import { landingPage } from '../../site/landing.ts';

const readme = `# name

One sentence.

**Works with** a · b.
Tools for c.

Elsewhere:

\`\`\`sh
npx demo
\`\`\`

## An agent

The code.

## Guides

| | |
|---|---|
| Start | [a](docs/a.md) · [b](docs/b.md) |
| [Tools](docs/tools.md) | for c |

[Changelog](CHANGELOG.md)
`;

test('the start page has the parts of the README, and a picture for light and dark', () => {
  const picture = (theme: string, file: string) =>
    expect.stringContaining(`<img class="in-${theme}" src="docs/images/${file}" alt="The console on your machine`);

  expect(landingPage(readme).split(/\n{2,}/)).toEqual([
    '<div class="hero">',
    '<div class="hero-text">',
    '# name',
    'One sentence.',
    '<div class="works-with">',
    '**Works with** a · b.',
    'Tools for c.',
    '</div>',
    'Elsewhere:',
    '```sh\nnpx demo\n```',
    '</div>',
    '<div class="hero-picture">',
    picture('light', 'console-phone-calls.png'),
    picture('dark', 'console-dark.png'),
    '</div>',
    '</div>',
    '## An agent',
    'The code.',
    '## Guides',
    '<div class="cards">',
    '- **Start**<br>[a](docs/a.md) · [b](docs/b.md)\n- **[Tools](docs/tools.md)**<br>for c',
    '</div>',
    '[Changelog](CHANGELOG.md)',
  ]);
});

test.each(['**Works with**', '```sh', '## Guides'])('a README without %s makes no start page', (part) => {
  expect(() => landingPage(readme.replaceAll(part, 'Another'))).toThrow('README.md lacks a part of the start page');
});
