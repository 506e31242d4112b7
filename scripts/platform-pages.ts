/**
 * `npm run docs:platforms` writes the set-up sections of five pages and docs/ends.md from
 * src/dev/cli/platforms; a test holds that they are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Platform, Source } from '../src/dev/cli/platforms/platform.ts';
import { type PlatformName, platforms } from '../src/dev/cli/platforms/platforms.ts';

const docs = new URL('../docs/', import.meta.url);

/** What is written between these lines is overwritten. */
const begin = '<!-- Written by docs:platforms. -->';
const end = '<!-- docs:platforms -->';

/** Each page, whole or in part written, as it has to be. */
export const writePages = (): ReadonlyMap<URL, string> =>
  new Map([
    ...Object.entries(platforms).map(([name, platform]) =>
      pageWith(platform.page, setUpOf(name as PlatformName, platform)),
    ),
    [new URL('ends.md', docs), endsPage(Object.values(platforms))],
  ]);

/** A page without what is written. */
export const ownText = (page: string): string => {
  const [before = '', rest = ''] = page.split(begin);
  return `${before}${rest.split(end)[1] ?? ''}`;
};

const pageWith = (name: string, part: string): [URL, string] => {
  const url = new URL(name, docs);
  const [before, rest] = readFileSync(url, 'utf8').split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/${name} needs the lines ${begin} and ${end}`);
  return [url, `${before}${begin}\n\n${part}\n\n${end}${after}`];
};

const setUpOf = (name: PlatformName, { steps, notes = [], variables, checkedOn, sources }: Platform): string =>
  [
    steps.map((step, index) => `${index + 1}. ${step}`).join('\n'),
    ...notes,
    `[\`doctor\`](cli.md#doctor) reads ${listed([`${apiOf(variables)}_DIALECT=${name}`, ...variables.map((variable) => variable.name)].map(code))}.`,
    `Checked on ${checkedOn}: ${sources.map(link).join(', ')}.`,
  ].join('\n\n');

const apiOf = (variables: Platform['variables']): string => variables[0]?.name.split('_')[0] ?? '';

const endsPage = (all: readonly Platform[]): string => `# Versions and ends

<!-- Written by npm run docs:platforms, from src/dev/cli/platforms. -->

The version that each preset [pins](clients.md#versions), and what its platform ends. \`doctor\` warns half a year before
something that your requests use ends.

| Platform | Pinned | Another one | Checked on |
|---|---|---|---|
${all.map(versionRow).join('\n')}

| Platform | What ends | When | Instead |
|---|---|---|---|
${all.flatMap(endRows).join('\n')}

A month without a day is one that the platform named no day for, or that follows from 18 months of support. What is
unsupported may go on working.
`;

const versionRow = ({ title, page, version, changeVersion, checkedOn }: Platform): string =>
  row([`[${title}](${page})`, version, changeVersion === undefined ? 'there is none' : code(changeVersion), checkedOn]);

const endRows = ({ title, ends }: Platform): readonly string[] =>
  ends.map(({ what, on, instead, source }) => row([title, `[${what}](${source.url})`, on, instead]));

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const link = ({ title, url }: Source): string => `[${title}](${url})`;

const code = (text: string): string => `\`${text}\``;

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

if (import.meta.main) for (const [url, text] of writePages()) writeFileSync(url, text);
