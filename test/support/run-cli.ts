import { PassThrough } from 'node:stream';
import type { Command } from '../../src/dev/cli/command.ts';
import { commands as allCommands } from '../../src/dev/cli/commands.ts';
import { run } from '../../src/dev/cli/run.ts';
import { shortestHidden, type Terminal } from '../../src/dev/cli/terminal.ts';
import { secretMask } from '../../src/observability/redaction/secrets.ts';

export interface TypedOptions {
  /** @defaultValue all that there are */
  readonly commands?: readonly Command[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The standard input; a person at a keyboard without it. */
  readonly input?: string | Uint8Array;
  /** The lines that the person types when asked. @defaultValue no one is at the keyboard */
  readonly answers?: string[];
  /** Aborts like Ctrl-C. */
  readonly signal?: AbortSignal;
  /** Gets each line of the result as it is printed. */
  readonly onPrint?: (line: string) => void;
}

export interface Typed {
  readonly exitCode: number;
  /** The standard output. */
  readonly printed: string;
  /** The error output. */
  readonly noted: string;
}

/** Runs a command of the command line in this process, without colours and without anybody who looks on. */
export const runCli = async (
  words: readonly string[],
  {
    commands = allCommands,
    env = {},
    cwd = '/',
    input,
    answers,
    signal = new AbortController().signal,
    onPrint,
  }: TypedOptions = {},
): Promise<Typed> => {
  const lines: string[] = [];
  const notes: string[] = [];
  let mask = (text: string) => text;
  const terminal: Terminal = {
    env,
    cwd,
    output: new PassThrough(),
    print: (line) => {
      lines.push(mask(line));
      onPrint?.(line);
    },
    note: (line) => void notes.push(mask(line)),
    progress: () => {},
    paint: (_format, text) => text,
    hide: (secrets) => {
      mask = secretMask(secrets.filter(({ length }) => length >= shortestHidden));
    },
    readInput: async () => (input === undefined ? undefined : Buffer.from(input)),
    ask: async (question) => {
      if (!answers) return undefined;
      notes.push(question);
      return answers.shift();
    },
    signal,
    interrupted: () =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    flush: async () => {},
  };
  const exitCode = await run(words, commands, terminal);
  return { exitCode, printed: lines.join('\n'), noted: notes.join('\n') };
};
