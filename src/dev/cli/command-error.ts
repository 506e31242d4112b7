import { closest } from '../../core/closest.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** Ends a command with one line for the person who typed it: what is wrong, and what to do. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(
    exitCode: ExitCode,
    message: string,
    { hint, cause }: { hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'CommandError';
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** It was typed wrongly. */
export const wrongUsage = (message: string, hint?: string): CommandError =>
  new CommandError(exitCodes.usage, message, { hint });

/** A word that's none of those it may be: the hint is the one that was probably meant, else `otherwise`. */
export const unknownWord = (
  message: string,
  {
    typed,
    words,
    otherwise,
  }: { readonly typed: string; readonly words: readonly string[]; readonly otherwise: string },
): CommandError => {
  const meant = closest(typed, words);
  return wrongUsage(message, meant === undefined ? otherwise : `did you mean ${meant}?`);
};

/** It cannot be done, such as a port that is taken. */
export const cannotBeDone = (message: string, hint?: string, cause?: unknown): CommandError =>
  new CommandError(exitCodes.problems, message, { hint, cause });

/** The configuration is missing or cannot be used. */
export const badConfiguration = (message: string, hint?: string, cause?: unknown): CommandError =>
  new CommandError(exitCodes.configuration, message, { hint, cause });
