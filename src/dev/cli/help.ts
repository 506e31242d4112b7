import type { Command, CommandOption, Positional } from './command.ts';
import { exitCodeMeanings, exitCodes } from './exit-codes.ts';
import { optionsOf } from './parse-arguments.ts';

export const programName = 'voice-agent-integrations';

/** Returns the help without a command, or after the first word of several commands. */
export const overview = (commands: readonly Command[], group?: string): string => {
  const shown = commands.filter(({ name }) => group === undefined || name.startsWith(`${group} `));
  return [
    `Usage: npx ${programName} ${group === undefined ? '' : `${group} `}COMMAND [OPTIONS]`,
    '',
    ...columns(shown.map(({ name, summary }) => [name, summary])),
    '',
    `npx ${programName} COMMAND --help says more, with an example.`,
    ...(group === undefined ? ['', ...endings(), '', ...environment] : []),
  ].join('\n');
};

/** Returns the help of a command. */
export const helpOf = (command: Command): string => {
  const { summary, positionals = [], details = [], examples } = command;
  return [
    usageOf(command),
    '',
    ...wrapped(summary),
    ...details.flatMap((paragraph) => ['', ...wrapped(paragraph)]),
    ...(positionals.length === 0 ? [] : ['', ...columns(positionals.map(({ name, help }) => [name, help]))]),
    '',
    'Options',
    ...columns(Object.entries(optionsOf(command)).map(([name, option]) => [spelled(name, option), option.help])),
    '',
    examples.length === 1 ? 'Example' : 'Examples',
    ...examples.flatMap(({ command: typed, says }) => [`  # ${says}`, `  ${typed}`]),
  ].join('\n');
};

/** The line that says how it is typed. */
const usageOf = ({ name, positionals = [] }: Command): string =>
  `Usage: ${[`npx ${programName}`, name, ...positionals.map(bracketed), '[OPTIONS]'].join(' ')}`;

/** Returns an option as it is typed. */
const spelled = (name: string, { value, multiple }: CommandOption): string =>
  `--${name}${value === undefined ? '' : ` ${value}`}${multiple ? ' …' : ''}`;

const bracketed = ({ name, count = 'one' }: Positional): string => {
  if (count === 'any') return `[${name}...]`;
  return count === 'optional' ? `[${name}]` : name;
};

/** The exit codes, the smallest first. */
export const exitCodeRows = (): readonly (readonly [string, string])[] =>
  Object.entries(exitCodes).map(([name, code]) => [String(code), exitCodeMeanings[name as keyof typeof exitCodes]]);

const endings = (): readonly string[] => ['Exit codes', ...columns(exitCodeRows())];

const environment = ['Environment', '  NO_COLOR=1  no colours', '  DEBUG=1     errors with their stack'];

const width = 100;

const columns = (rows: readonly (readonly [string, string])[]): readonly string[] => {
  const first = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.flatMap(([left, right]) => {
    const [head = '', ...rest] = wrapped(right, width - first - 2);
    return [`  ${left.padEnd(first)}${head}`, ...rest.map((line) => `  ${''.padEnd(first)}${line}`)];
  });
};

const wrapped = (text: string, columnsLeft = width): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columnsLeft) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines;
};
