import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { wrongUsage } from './command-error.ts';
import { secretMask } from '../../observability/redaction/secrets.ts';

/** The input and output of a command. */
export interface Terminal {
  /** Files that were read into it count too: see `readEnvFiles`. */
  readonly env: Record<string, string | undefined>;
  /** The folder that paths are relative to. */
  readonly cwd: string;
  /** The standard output, for a protocol. */
  readonly output: Writable;
  /** A line of the result, on the standard output. */
  readonly print: (line: string) => void;
  /** A line for the person, on the error output. */
  readonly note: (line: string) => void;
  /** Shows the current work in a line that the next one replaces. Only on a terminal. */
  readonly progress: (what: string) => void;
  /** Colours appear on a terminal only, and not where `NO_COLOR` is set. */
  readonly paint: (format: Parameters<typeof styleText>[0], text: string) => string;
  /** From now on these are masked in everything that is printed, if they have six characters or more. */
  readonly hide: (secrets: readonly string[]) => void;
  /** Everything on the standard input, up to 16 MiB. `undefined` when that is a person at a keyboard. */
  readonly readInput: () => Promise<Buffer | undefined>;
  /** Asks the person at the keyboard for a line. `undefined` if there is none, or if they end the input. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Aborts at Ctrl-C and when the process is asked to end; a second Ctrl-C ends it at once. */
  readonly signal: AbortSignal;
  /** Resolves then. */
  readonly interrupted: () => Promise<void>;
  /** Resolves when everything is printed. */
  readonly flush: () => Promise<void>;
}

/** The parts of a process that a {@link Terminal} uses. */
export interface TerminalProcess extends Pick<NodeJS.Process, 'env' | 'cwd' | 'stdin' | 'stdout' | 'stderr' | 'once'> {}

/**
 * The terminal of a process. What it prints can't control a terminal: ids and names come from senders, and only
 * {@link Terminal.paint} may colour. A reader of its output that goes away, such as `head`, ends the output and nothing else.
 */
export const createTerminal = (process: TerminalProcess): Terminal => {
  const { stdin, stdout, stderr, env } = process;
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort());

  const gone = new Set<NodeJS.WriteStream>();
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      gone.add(stream);
    });
  }
  // As they are now: `divertOutput` keeps everything else from the standard output.
  const writers = new Map<NodeJS.WriteStream, NodeJS.WriteStream['write']>([
    [stdout, stdout.write.bind(stdout)],
    [stderr, stderr.write.bind(stderr)],
  ]);
  const write = (stream: NodeJS.WriteStream, text: string | Uint8Array, done: () => void = () => {}) => {
    if (gone.has(stream)) done();
    else writers.get(stream)?.(text, done);
  };

  const hidden = new Set<string>();
  let mask = (text: string) => text;
  // Replaces ESC until a line is written. It can't be guessed from outside.
  const escapeMark = randomUUID();
  const safe = (text: string) => mask(text).split(escapeMark).map(visible).join('\u001b');
  let showsProgress = false;
  const clearProgress = () => {
    if (showsProgress) write(stderr, '\r\u001b[K');
    showsProgress = false;
  };
  const line = (stream: NodeJS.WriteStream) => (text: string) => {
    clearProgress();
    write(stream, `${safe(text)}\n`);
  };
  /** The lines of the person at the keyboard, once one was asked for. */
  let typed: AsyncIterator<string, undefined> | undefined;
  const flushed = (stream: NodeJS.WriteStream) => new Promise<void>((resolve) => write(stream, '', resolve));

  return {
    env,
    cwd: process.cwd(),
    output: new Writable({ write: (chunk: Buffer, _encoding, done) => write(stdout, chunk, () => done()) }),
    print: line(stdout),
    note: line(stderr),
    progress: (what) => {
      if (!stderr.isTTY) return;
      clearProgress();
      write(stderr, safe(what));
      showsProgress = true;
    },
    paint: (format, text) => styleText(format, visible(text), { stream: stdout }).replaceAll('\u001b', escapeMark),
    hide: (secrets) => {
      for (const secret of secrets) if (secret.length >= shortestHidden) hidden.add(secret);
      mask = secretMask([...hidden]);
    },
    readInput: async () => {
      if (stdin.isTTY) return undefined;
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of stdin) {
        const bytes = Buffer.from(chunk);
        length += bytes.length;
        if (length > maximumInputBytes) throw wrongUsage('the standard input has more than 16 MiB');
        chunks.push(bytes);
      }
      return Buffer.concat(chunks);
    },
    ask: async (question) => {
      if (!stdin.isTTY || !stderr.isTTY) return undefined;
      clearProgress();
      write(stderr, safe(question));
      typed ??= createInterface({ input: stdin })[Symbol.asyncIterator]();
      const { value, done } = await typed.next();
      return done === true ? undefined : value.trim();
    },
    signal: interruption.signal,
    interrupted: () =>
      new Promise((resolve) => {
        if (interruption.signal.aborted) resolve();
        interruption.signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    flush: async () => {
      await typed?.return?.();
      clearProgress();
      await Promise.all([flushed(stdout), flushed(stderr)]);
    },
  };
};

/** A shorter secret is found in words that have nothing to do with it. */
export const shortestHidden = 6;

/** Above the largest body that a receiver takes. */
export const maximumInputBytes = 16 * 2 ** 20;

/** Control characters, and those that turn or hide text, as JSON writes them; line breaks and tabs stay. */
const visible = (text: string): string =>
  text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, (found) =>
    found
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
