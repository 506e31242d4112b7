/** `npm run docs:interface-document` writes test/interface-document/README.md from its rows; a test fails when it's out of date. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { type Row, sections } from './interface-document/rows.ts';

const root = new URL('../', import.meta.url);

/** Where the page is. */
export const interfaceDocumentPage = new URL('test/interface-document/README.md', root);

/** The page as it has to be. Throws for a row whose tests or decision don't exist. */
export const writeInterfaceDocumentPage = (): string => {
  const rows = sections.flatMap((section) => section.rows);
  const problems = rows.flatMap(problemsOf);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const departures = rows.filter(({ departs }) => departs !== undefined).length;
  return `# The default API, row by row

<!-- Written by npm run docs:interface-document, from scripts/interface-document/rows.ts. -->

The [default API](../../docs/default-api.md) and the rules for talking to it. Each row is one of its
requirements, with the tests in \`test/\` that show it. ${rows.length - departures} work as written. ${departures} depart on purpose, each with its
[decision](../../docs/decisions/README.md). A number in a row that works is the decision that fills a gap. *Also* says what was added.

${sections.map(({ title, rows: of }) => `## ${title}\n\n| Requirement | | Shown by |\n|---|---|---|\n${of.map(lineOf).join('\n')}`).join('\n\n')}
`;
};

const lineOf = ({ requirement, tests = [], decision, departs, also }: Row): string => {
  const record = decision === undefined ? '' : ` [${decision}](${decisionFile(decision)})`;
  const works = `works${record}${also === undefined ? '' : `; *also* ${also}`}`;
  const state = departs === undefined ? works : `**departs**${record}: ${departs}`;
  return `| ${requirement} | ${state} | ${[...new Set(tests.map(testWords))].join('; ')} |`;
};

/** A test of the interface document has nearly the words of its row. */
const testWords = (test: string): string => {
  const { file, name } = partsOf(test);
  if (file.startsWith('interface-document/')) return `\`${file}\``;
  return `\`${file}\`: ${name.replaceAll(/%[sijd]/g, '…').replaceAll(/[|{<]/g, String.raw`\$&`)}`;
};

const problemsOf = ({ requirement, tests = [], decision, departs }: Row): readonly string[] => [
  ...(tests.length === 0 ? [`"${requirement}" has no test`] : []),
  ...(departs !== undefined && decision === undefined ? [`"${requirement}" departs without a decision`] : []),
  ...(decision !== undefined && decisionFile(decision) === '' ? [`there is no decision ${decision}`] : []),
  ...tests.flatMap((test) => (isThere(test) ? [] : [`there is no test "${test}"`])),
];

const decisionFile = (number: number): string =>
  `../../${globSync(`docs/decisions/${String(number).padStart(4, '0')}-*.md`, { cwd: root })[0] ?? ''}`;

/** A test is there when its name begins a call of `it` or `test`, or a row of their `each`. */
const isThere = (test: string): boolean => {
  const { file, name } = partsOf(test);
  const path = new URL(`test/${file}`, root);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, 'utf8');
  return [`'${name.replaceAll("'", "\\'")}'`, `"${name}"`, `\`${name}\``].some((quoted) =>
    source
      .split(quoted)
      .slice(0, -1)
      .some((before) => /[([]\s*$/.test(before)),
  );
};

const partsOf = (test: string) => {
  const [file = '', name = ''] = test.split(' > ');
  return { file, name };
};

if (import.meta.main) writeFileSync(interfaceDocumentPage, writeInterfaceDocumentPage());
