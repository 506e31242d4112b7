/** The start page of the site, composed of parts of the README, so that both have the same words and the same code. */
export const landingPage = (readme: string): string => {
  const [start = '', ...sections] = readme.split(/^(?=## )/m);
  const opening = paragraphsOf(start);
  const worksWith = opening.find((paragraph) => paragraph.startsWith('**Works with**'));
  const demo = opening.findIndex((paragraph) => paragraph.startsWith('```sh'));
  const why = sections.find((section) => section.startsWith('## Why\n'));
  const guides = sections.find((section) => section.startsWith('## Guides\n'));
  const others = sections.filter((section) => section !== why && section !== guides);
  const [whyTitle, reasons, image = '', caption] = paragraphsOf(why ?? '');
  if (!worksWith || demo < 0 || !image.startsWith('![') || !guides)
    throw new Error(
      'README.md lacks a part of the start page: "Works with", a command, "Why" with a picture, or "Guides"',
    );

  const [name, sentence] = opening;
  return [
    open('hero'),
    open('hero-text'),
    name,
    sentence,
    open('works-with'),
    ...worksWith.split(/(?<=\.)\s+(?=Tools for )/),
    close,
    ...opening.slice(demo - 1).filter((paragraph) => !paragraph.startsWith('```text')),
    close,
    open('hero-picture'),
    ...inBothThemes(image),
    caption,
    close,
    close,
    ...others.slice(0, firstSections),
    whyTitle,
    open('cards'),
    reasons,
    close,
    '## Guides',
    open('cards'),
    rowsOf(guides),
    close,
    ...others.slice(firstSections),
  ].join('\n\n');
};

const paragraphsOf = (markdown: string): readonly string[] => markdown.trim().split(/\n{2,}/);

/** "An agent" and "The tools that you have" come before the reasons, the others after the guides. */
const firstSections = 2;

/** Markdown follows HTML after an empty line. */
const open = (name: string) => `<div class="${name}">`;
const close = '</div>';

/** The picture of the README, and the same in the dark. Only the one that is shown is loaded. */
const inBothThemes = (image: string): readonly string[] => {
  const [, words = '', address = ''] = /!\[(.*)\]\((.*)\)/.exec(image) ?? [];
  const show = (theme: string, source: string) =>
    `<img class="in-${theme}" src="${source}" alt="${words}" width="1080" height="700" loading="lazy">`;
  return [show('light', address), show('dark', address.replace(/[^/]+$/, 'console-dark.png'))];
};

/** The rows of a table of two columns, as a list. */
const rowsOf = (section: string): string =>
  [...section.matchAll(/^\| (.+?) \| (.+) \|$/gm)].map(([, title, text]) => `- **${title}**<br>${text}`).join('\n');
