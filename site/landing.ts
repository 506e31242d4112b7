/** The start page of the site, composed of parts of the README, so that both have the same words and the same code. */
export const landingPage = (readme: string): string => {
  const [start = '', ...sections] = readme.split(/^(?=## )/m);
  const [name, sentence, worksWith = '', ...commands] = paragraphsOf(start);
  const guides = sections.find((section) => section.startsWith('## Guides\n'));
  const others = sections.filter((section) => section !== guides);
  if (!worksWith.startsWith('**Works with**') || !commands.some((part) => part.startsWith('```sh')) || !guides)
    throw new Error('README.md lacks a part of the start page: "Works with", a command, or "Guides"');

  return [
    open('hero'),
    open('hero-text'),
    name,
    sentence,
    open('works-with'),
    ...worksWith.split(/(?<=\.)\s+(?=Tools for )/),
    close,
    ...commands,
    close,
    open('hero-picture'),
    ...pictureInBothThemes,
    close,
    close,
    ...others,
    '## Guides',
    open('cards'),
    rowsOf(guides),
    close,
    ...paragraphsOf(guides).slice(2),
  ].join('\n\n');
};

const paragraphsOf = (markdown: string): readonly string[] => markdown.trim().split(/\n{2,}/);

/** Markdown follows HTML after an empty line. */
const open = (name: string) => `<div class="${name}">`;
const close = '</div>';

/** The console in both themes. Only the one that is shown is loaded. */
const pictureInBothThemes: readonly string[] = [
  ['light', 'console-phone-calls.png'],
  ['dark', 'console-dark.png'],
].map(
  ([theme, file]) =>
    `<img class="in-${theme}" src="docs/images/${file}" alt="The console on your machine: a phone call, its tool calls and their attempts" width="1080" height="700" loading="lazy">`,
);

/** The rows of a table of two columns, as a list. */
const rowsOf = (section: string): string =>
  [...section.matchAll(/^\| (.+?) \| (.+) \|$/gm)].map(([, title, text]) => `- **${title}**<br>${text}`).join('\n');
