import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createTerminal, type TerminalProcess } from '../../src/cli/terminal.ts';

/** A process whose streams are, or are not, a terminal, and what is written to them. */
const makeProcess = ({ isTTY, input = [] }: { readonly isTTY: boolean; readonly input?: readonly string[] }) => {
  const written: string[] = [];
  const signals = new EventEmitter();
  const makeStream = (name: string) =>
    Object.assign(new EventEmitter(), {
      isTTY,
      write: (text: string, done?: () => void) => {
        if (text !== '') written.push(`${name}: ${text}`);
        done?.();
        return true;
      },
    });
  const [stdout, stderr] = [makeStream('out'), makeStream('err')];
  const stdin = {
    isTTY,
    async *[Symbol.asyncIterator]() {
      yield* input;
    },
  };
  const process = { env: {}, cwd: () => '/work', once: signals.once.bind(signals), stdin, stdout, stderr };
  // Nothing else of a process is used.
  return { process: process as unknown as TerminalProcess, written, signals, stdout };
};

describe('progress', () => {
  test('stands on a line that the next output replaces, where a person looks on', () => {
    const { process, written } = makeProcess({ isTTY: true });
    const terminal = createTerminal(process);

    terminal.progress('Checking crm …');
    terminal.progress('Checking billing …');
    terminal.print('done');

    const clear = '\r\u001b[K';
    expect(written).toEqual([
      'err: Checking crm …',
      `err: ${clear}`,
      'err: Checking billing …',
      `err: ${clear}`,
      'out: done\n',
    ]);
  });

  test('is not there in a pipe', () => {
    const { process, written } = makeProcess({ isTTY: false });

    createTerminal(process).progress('Checking crm …');

    expect(written).toEqual([]);
  });
});

test('what is hidden is masked on both outputs', () => {
  const { process, written } = makeProcess({ isTTY: false });
  const terminal = createTerminal(process);

  terminal.hide(['s3cr3t-value']);
  terminal.print('it is s3cr3t-value');
  terminal.note('or s3cr3t-value');

  expect(written).toEqual(['out: it is [secret]\n', 'err: or [secret]\n']);
});

test('what was hidden stays hidden when more is', () => {
  const { process, written } = makeProcess({ isTTY: false });
  const terminal = createTerminal(process);

  terminal.hide(['s3cr3t-value']);
  terminal.hide(['other-value']);
  terminal.print('s3cr3t-value and other-value');

  expect(written).toEqual(['out: [secret] and [secret]\n']);
});

test('nothing is written to a reader that has gone, and another failure is not hidden', async () => {
  const { process, written, stdout } = makeProcess({ isTTY: false });
  const terminal = createTerminal(process);

  stdout.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }));
  terminal.print('lost');
  terminal.note('heard');
  await terminal.flush();

  expect(written).toEqual(['err: heard\n']);
  expect(() => stdout.emit('error', Object.assign(new Error('disk full'), { code: 'ENOSPC' }))).toThrow('disk full');
});

test('the input is what was piped in, and nothing where a person could type', async () => {
  const piped = createTerminal(makeProcess({ isTTY: false, input: ['a', 'b'] }).process);
  const keyboard = createTerminal(makeProcess({ isTTY: true }).process);

  expect([(await piped.readInput())?.toString(), await keyboard.readInput()]).toEqual(['ab', undefined]);
});

test.each(['SIGINT', 'SIGTERM'])('%s is heard once: the second one is left to Node', async (name) => {
  const { process, signals } = makeProcess({ isTTY: false });
  const terminal = createTerminal(process);

  signals.emit(name);
  await terminal.interrupted();

  expect(terminal.signal.aborted).toBe(true);
  expect(signals.listenerCount(name)).toBe(0);
});
