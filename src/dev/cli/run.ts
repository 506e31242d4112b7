import { IntegrationError, InvalidArgumentError } from '../../core/errors.ts';
import { maskSecretLooks } from '../../observability/redaction/secrets.ts';
import { version } from '../../core/version.ts';
import { closest } from '../../core/closest.ts';
import type { Command } from './command.ts';
import { CommandError, wrongUsage } from './command-error.ts';
import { readEnvFiles } from './env-file.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { helpOf, overview, programName } from './help.ts';
import { parseArguments } from './parse-arguments.ts';
import { secretsInEnvironment } from './secrets-in-environment.ts';
import type { Terminal } from './terminal.ts';

/** Runs what was typed to its end. Never rejects: what went wrong is one line on the error output. */
export const run = async (
  typed: readonly string[],
  commands: readonly Command[],
  terminal: Terminal,
): Promise<ExitCode> => {
  try {
    const [first] = typed;
    if (first === '--version' || first === '-v') return shown(version, terminal);
    if (first === undefined) {
      terminal.note(overview(commands));
      return exitCodes.usage;
    }
    if (isHelp(first)) return shown(helpAbout(typed.slice(1), commands), terminal);
    const command = commandIn(typed, commands);
    if (command) {
      const rest = typed.slice(command.name.split(' ').length);
      if (beforeDashes(rest).some((word) => word === '--help' || word === '-h'))
        return shown(helpOf(command), terminal);
      return await finished(command, rest, terminal);
    }
    if (isGroup(first, commands) && (typed[1] === undefined || isHelp(typed[1])))
      return shown(overview(commands, first), terminal);
    throw unknownCommand(typed, commands);
  } catch (error) {
    return failed(error, { typed, terminal });
  }
};

const isHelp = (word: string): boolean => ['help', '--help', '-h'].includes(word);

const isGroup = (word: string | undefined, commands: readonly Command[]): boolean =>
  commands.some(({ name }) => name.startsWith(`${word} `));

/** Returns the help of a command, of the first word of several, or of everything. */
const helpAbout = (typed: readonly string[], commands: readonly Command[]): string => {
  const command = commandIn(typed, commands);
  if (command) return helpOf(command);
  if (typed[0] === undefined) return overview(commands);
  if (isGroup(typed[0], commands)) return overview(commands, typed[0]);
  throw unknownCommand(typed, commands);
};

const shown = (text: string, { print }: Terminal): ExitCode => {
  print(text);
  return exitCodes.ok;
};

const commandIn = (typed: readonly string[], commands: readonly Command[]): Command | undefined =>
  commands.find(({ name }) => name.split(' ').every((word, index) => typed[index] === word));

const beforeDashes = (words: readonly string[]): readonly string[] => {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
};

/** A command that does not end itself at Ctrl-C is left to itself then: the process ends. */
const finished = async (command: Command, typed: readonly string[], terminal: Terminal): Promise<ExitCode> => {
  const given = parseArguments(command, typed);
  readEnvFiles(given.text('env-file'), terminal);
  const running = command.run(given, terminal);
  if (command.runsUntilInterrupted) return running;
  return Promise.race([running, terminal.interrupted().then(() => exitCodes.interrupted)]);
};

const unknownCommand = (typed: readonly string[], commands: readonly Command[]): CommandError => {
  const words = typed.filter((word) => !word.startsWith('-')).slice(0, 2);
  const names = commands.map(({ name }) => name);
  const meant = closest(words.join(' '), names) ?? closest(words[0] ?? '', names);
  return wrongUsage(
    `there is no command "${words.length === 0 ? typed[0] : words.join(' ')}"`,
    meant === undefined ? `npx ${programName} --help lists them` : `did you mean ${meant}?`,
  );
};

const failed = (
  error: unknown,
  { typed, terminal }: { readonly typed: readonly string[]; readonly terminal: Terminal },
): ExitCode => {
  terminal.hide(secretsInEnvironment(terminal.env));
  const { exitCode, message, hint } = described(error);
  const safe = maskSecretLooks(oneLine(message));
  if (beforeDashes(typed).includes('--json'))
    terminal.note(JSON.stringify({ error: { exitCode, message: safe, hint } }));
  else terminal.note(`${programName}: ${safe}${hint === undefined ? '' : ` (${hint})`}`);
  if (terminal.env['DEBUG']) terminal.note(maskSecretLooks(stackOf(error)));
  return exitCode;
};

const described = (error: unknown): Pick<CommandError, 'exitCode' | 'message' | 'hint'> => {
  if (error instanceof CommandError) return error;
  if (error instanceof InvalidArgumentError)
    return { exitCode: exitCodes.configuration, message: error.message, hint: 'change the configuration' };
  if (error instanceof IntegrationError)
    return { exitCode: exitCodes.problems, message: error.message, hint: undefined };
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: exitCodes.defect, message, hint: 'DEBUG=1 shows where' };
};

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();

const stackOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return [error.stack ?? error.message, ...(error.cause === undefined ? [] : [`cause: ${stackOf(error.cause)}`])].join(
    '\n',
  );
};
