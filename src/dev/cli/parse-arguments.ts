import { parseArgs, type ParseArgsConfig } from 'node:util';
import { closest } from '../../core/closest.ts';
import type { Command, CommandOption, Given } from './command.ts';
import { wrongUsage } from './command-error.ts';
import { envFileOption } from './env-file.ts';

/** The options of every command. */
const sharedOptions: Readonly<Record<string, CommandOption>> = {
  'env-file': envFileOption,
  json: { help: 'Print JSON' },
  help: { help: 'Show this help' },
};

/** Its own options, and those that every command has. */
export const optionsOf = ({ options }: Command): Readonly<Record<string, CommandOption>> => ({
  ...options,
  ...sharedOptions,
});

/** Parses what follows the command's name. Throws `CommandError` for what the command does not know. */
export const parseArguments = (command: Command, typed: readonly string[]): Given => {
  const options = optionsOf(command);
  refuseSecrets(typed, options);
  const { values, positionals } = parse(command, typed, options);
  refuseEmpty(values);
  checkPositionals(command, positionals);
  const text = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    positionals,
    flag: (name) => values[name] === true,
    text,
    texts: (name) => [values[name] ?? []].flat().filter((value) => typeof value === 'string'),
    wholeNumber: (name) => {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!/^\d{1,12}$/.test(value)) throw wrongUsage(`--${name} must be a whole number`);
      return Number(value);
    },
  };
};

const parse = (command: Command, typed: readonly string[], options: Readonly<Record<string, CommandOption>>) => {
  const known: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(options).map(([name, { value, multiple }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: multiple ?? false } as const,
    ]),
  );
  try {
    return parseArgs({ args: [...typed], options: known, allowPositionals: true, strict: true });
  } catch (error) {
    throw usageErrorOf(error, command, Object.keys(options));
  }
};

/** Node's own message, without its advice. It never repeats a value. */
const usageErrorOf = (error: unknown, { name }: Command, known: readonly string[]) => {
  const message = error instanceof Error ? error.message : '';
  const [, unknown] = /^Unknown option '--?([^']+)'/.exec(message) ?? [];
  const help = `voice-agent-integrations ${name} --help lists what there is`;
  if (unknown === undefined) return wrongUsage(message.split(/[.\n]/)[0] ?? 'it cannot be read', help);
  const meant = closest(unknown, known);
  return wrongUsage(`${name} has no option --${unknown}`, meant === undefined ? help : `did you mean --${meant}?`);
};

const refuseSecrets = (typed: readonly string[], options: Readonly<Record<string, CommandOption>>): void => {
  const name = typed
    .filter((word) => word.startsWith('--'))
    .map((word) => word.slice(2).split('=')[0] ?? '')
    .find((option) => !Object.hasOwn(options, option) && /^(?:secret|token|password|key|api-key)$/.test(option));
  if (name !== undefined)
    throw wrongUsage(
      `--${name} is not taken: every process of this machine can read a command line`,
      'put it into the environment, or on the standard input',
    );
};

/** `--group "$GROUP"` without a GROUP would mean something else than was meant. */
const refuseEmpty = (values: Readonly<Record<string, unknown>>): void => {
  const empty = Object.entries(values).find(([, value]) => [value].flat().includes(''));
  if (empty) throw wrongUsage(`--${empty[0]} is empty`, 'is a variable not set?');
};

const checkPositionals = ({ name, positionals: wanted = [] }: Command, given: readonly string[]): void => {
  const missing = wanted.find(({ count = 'one' }, index) => count === 'one' && given[index] === undefined);
  if (missing) throw wrongUsage(`${name} needs ${missing.name}`, missing.help);
  const takesAny = wanted.some(({ count }) => count === 'any');
  if (!takesAny && given.length > wanted.length)
    throw wrongUsage(`${name} does not know what to do with "${given[wanted.length]}"`);
};
