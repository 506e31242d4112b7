import type { Played } from './play.ts';

/** The page of the run. */
export const pageOf = (played: readonly Played[]): string => {
  const ways = [...new Set(played.map(({ way }) => way.name))];
  const rows = [...Map.groupBy(played, ({ row }) => row)];
  const cell = (of: readonly Played[], name: string) => of.find(({ way }) => way.name === name);
  return [
    '# The agent did it twice',
    '',
    '```sh',
    'npm run bench -- twice   # in a clone, half a minute: plays every cell and writes this page',
    '```',
    '',
    'A caller wants one charge. Each row plays a report from the field with a scripted model and a shop on loopback. A cell has the number of',
    'charges, or of HubSpot’s deals. **Bold** is wrong. `test/providers/twice.test.ts` compares this page with a run.',
    '',
    table(
      ['', 'wanted', ...ways],
      rows.map(([row, of]) => [
        `${row.name} (${row.from})`,
        `${row.wanted}`,
        ...ways.map((name) => counted(cell(of, name), row.wanted)),
      ]),
    ),
    '',
    ...notes,
    '',
  ].join('\n');
};

/** The README with the short table of the run. */
export const inReadme = (readme: string, played: readonly Played[]): string => {
  const ways = [...Map.groupBy(played, ({ way }) => way.name)];
  const rows = ways.map(([name, of]) => {
    const ones = of.filter(({ row, made }) => row.wanted === 1 && made !== undefined);
    const control = of.find(({ row }) => row.wanted === 2);
    return [
      name,
      `${ones.filter(({ made = 0 }) => made > 1).length} of ${ones.length}`,
      control?.made === 2 ? 'yes' : '**no**',
    ];
  });
  const short = table(['', 'wanted once, done twice', 'wanted twice, done twice'], rows);
  return readme.replace(/^\|[^\n]*\| wanted once, done twice \|[\s\S]*?(?=\n\n)/m, () => short);
};

const notes = [
  '- After a cut answer, the model of the first column reads `TypeError: fetch failed`, and pays again. In this toolbox it reads',
  '  `payment_status_unknown`, and then the confirmation number of the first charge.',
  '- Stripe’s documentation recommends a key of the charge. Under it, the second charge that the caller wants counts as a repetition.',
  '- HubSpot’s own MCP server runs as it is, led to the shop by its environment. Its API has no idempotency keys. “Search first” is kinder here than',
  '  in life: HubSpot’s index takes longer than this shop’s half second.',
  '- In this toolbox, the same server is one `toolsFromMcp` with the word `write`. After a cut answer, its end stays unknown. A second one that the',
  '  caller wants has the argument `again`.',
  '- The AI SDK runs each call of a model’s answer. OpenAI Agents leaves out an id that comes again.',
  '- Composio’s SDK and the hosted servers of Stripe, PayPal and Square can’t be led to a shop on loopback.',
];

const counted = (one: Played | undefined, wanted: number): string => {
  if (one?.made === undefined) return '–';
  return one.made === wanted ? `${one.made}` : `**${one.made}**`;
};

const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
