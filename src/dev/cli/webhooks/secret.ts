import type { CommandOption, Given } from '../command.ts';
import { wrongUsage } from '../command-error.ts';
import type { Terminal } from '../terminal.ts';

/** Reads the shared secret, never from the command line: every process of the machine can read that. */
export const secretOptions: Readonly<Record<'secret-env' | 'secret-stdin', CommandOption>> = {
  'secret-env': { value: 'NAME', help: 'The variable that holds the secret (default: WEBHOOK_SECRET)' },
  'secret-stdin': { help: 'Read the secret from the standard input; the body must then be a file' },
};

/** The secret and, unless the body is a file, nothing else from the standard input. Hides it from all output. */
export const readSecret = async (given: Given, terminal: Terminal): Promise<string> => {
  const secret = given.flag('secret-stdin') ? await fromInput(given, terminal) : fromEnvironment(given, terminal);
  terminal.hide([secret]);
  return secret;
};

const fromInput = async (given: Given, terminal: Terminal): Promise<string> => {
  if (given.text('secret-env') !== undefined)
    throw wrongUsage('--secret-env and --secret-stdin exclude each other', 'give one of them');
  if (given.text('body') === undefined)
    throw wrongUsage('the standard input cannot hold both the secret and the body', 'name the body with --body FILE');
  const text = (await terminal.readInput())?.toString('utf8').replace(/\r?\n$/, '');
  if (!text) throw wrongUsage('the standard input holds no secret', 'printf %s "$SECRET" | … --secret-stdin');
  return text;
};

const fromEnvironment = (given: Given, { env }: Terminal): string => {
  const name = given.text('secret-env') ?? 'WEBHOOK_SECRET';
  const secret = env[name];
  if (!secret) throw wrongUsage(`${name} is not set`, 'put the secret into it, or use --secret-env or --secret-stdin');
  return secret;
};
