import type { ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** One command that can be typed after `npx voice-agent-integrations`. Its help and its page are made of this. */
export interface Command {
  /** Such as `webhooks sign`. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** The arguments after the name that have no dash. */
  readonly positionals?: readonly Positional[];
  /** The options by name, without the dashes. `--json` and `--help` are added to each command. */
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** Paragraphs for its help. */
  readonly details?: readonly string[];
  /** At least one, each as it is typed after `npx voice-agent-integrations`. */
  readonly examples: readonly Example[];
  /** Runs until Ctrl-C, and ends itself then. */
  readonly runsUntilInterrupted?: true;
  /** Throws `CommandError` for what the person can mend. */
  readonly run: (given: Given, terminal: Terminal) => Promise<ExitCode>;
}

export interface Positional {
  readonly name: string;
  readonly help: string;
  /** @defaultValue 'one' */
  readonly count?: 'one' | 'optional' | 'any';
}

export interface CommandOption {
  /** The name of its value in the help; without it the option is a flag. */
  readonly value?: string;
  /** May be given several times. */
  readonly multiple?: true;
  readonly help: string;
}

export interface Example {
  readonly command: string;
  readonly says: string;
}

/** The typed words, checked against the command. */
export interface Given {
  readonly positionals: readonly string[];
  readonly flag: (name: string) => boolean;
  readonly text: (name: string) => string | undefined;
  readonly texts: (name: string) => readonly string[];
  /** A whole number that is not negative. Throws `CommandError` for anything else. */
  readonly wholeNumber: (name: string) => number | undefined;
}
