import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { commands } from '../../../src/dev/cli/commands.ts';
import { run } from '../../../src/dev/cli/run.ts';
import { createTerminal, type TerminalProcess } from '../../../src/dev/cli/terminal.ts';
import { sqlite } from '../../../src/stores/sqlite/index.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { eventually } from '../../support/until.ts';

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

test('asks a person at the keyboard for one line after the other, and no one else', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const { process, written } = makeProcess({ isTTY: true });
  const terminal = createTerminal(Object.assign(process, { stdin: stdin as unknown as TerminalProcess['stdin'] }));
  stdin.end('hono\n 2 \n'); // typed ahead

  const answers = [await terminal.ask('Framework? '), await terminal.ask('Model? '), await terminal.ask('CRM? ')];
  await terminal.flush();

  expect(answers).toEqual(['hono', '2', undefined]);
  expect(written).toEqual(['err: Framework? ', 'err: Model? ', 'err: CRM? ']);
  expect(await createTerminal(makeProcess({ isTTY: false }).process).ask('Framework? ')).toBeUndefined();
});

describe('progress', () => {
  test('is on a line that the next output replaces, where a person looks on', () => {
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

test('a short secret, which other words hold too, is not masked in them', () => {
  const { process, written } = makeProcess({ isTTY: false });
  const terminal = createTerminal(process);

  terminal.hide(['x', '12345', '123456']);
  terminal.print('x-signature: 12345, 123456');

  expect(written).toEqual(['out: x-signature: 12345, [secret]\n']);
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
  terminal.note('read');
  await terminal.flush();

  expect(written).toEqual(['err: read\n']);
  expect(() => stdout.emit('error', Object.assign(new Error('disk full'), { code: 'ENOSPC' }))).toThrow('disk full');
});

test('the input is what was piped in, and nothing where a person could type', async () => {
  const piped = createTerminal(makeProcess({ isTTY: false, input: ['a', 'b'] }).process);
  const keyboard = createTerminal(makeProcess({ isTTY: true }).process);

  expect([(await piped.readInput())?.toString(), await keyboard.readInput()]).toEqual(['ab', undefined]);
});

test('an input without an end is refused', async () => {
  const piped = createTerminal(
    makeProcess({ isTTY: false, input: Array.from({ length: 17 }, () => 'a'.repeat(2 ** 20)) }).process,
  );

  await expect(piped.readInput()).rejects.toThrow('the standard input has more than 16 MiB');
});

test.each(['SIGINT', 'SIGTERM'])('%s is handled once: the second one is left to Node', async (name) => {
  const { process, signals } = makeProcess({ isTTY: false });
  const terminal = createTerminal(process);

  signals.emit(name);
  await terminal.interrupted();

  expect(terminal.signal.aborted).toBe(true);
  expect(signals.listenerCount(name)).toBe(0);
});

describe('what others wrote cannot control the terminal', () => {
  // Clear the screen, set the title, a C1 CSI, turn the text around, hide it, and a line separator.
  const hostile = 'a\u001b[2Jb\u001b]0;title\u0007c\u009b31md\u202ee\u2066f\u200bg\u2028h\u{e0041}i\rj';
  const shown = 'a\\u001b[2Jb\\u001b]0;title\\u0007c\\u009b31md\\u202ee\\u2066f\\u200bg\\u2028h\\udb40\\udc41i\\u000dj';

  test.each([true, false])('on any output, where a person looks on: %s', (isTTY) => {
    const { process, written } = makeProcess({ isTTY });
    const terminal = createTerminal(process);

    terminal.print(`id\t${hostile}\nnext`);
    terminal.note(hostile);

    expect(written).toEqual([`out: id\t${shown}\nnext\n`, `err: ${shown}\n`]);
  });

  test('also in what is painted and in progress, while our own colours stay', () => {
    const { process, written } = makeProcess({ isTTY: true });
    const terminal = createTerminal(process);

    terminal.progress(hostile);
    terminal.print(`${terminal.paint('red', hostile)} ${hostile}`);

    const [progress, , line] = written;
    expect(progress).toBe(`err: ${shown}`);
    expect(line).toBe(`out: \u001b[31m${shown}\u001b[39m ${shown}\n`);
  });

  test('in the list of dead letters, and its JSON still says what the id is', async () => {
    const folder = await makeScratchFolder();
    const queue = sqlite({ file: folder.file('outbox.db') }).messageQueue();
    await queue.enqueue([{ id: hostile, group: 'outbox:crm', payload: {} }]);
    queue.consume({ groups: { 'outbox:crm': 1 }, leaseMs: 10_000, maximumAttempts: 3 }, async () => ({
      type: 'dead',
      reason: 'client_error',
    }));
    await eventually(async () => (await queue.admin.stats()).dead === 1);
    await queue.close(1_000);
    const { process, written } = makeProcess({ isTTY: false });
    const terminal = createTerminal({ ...process, cwd: () => folder.path });

    await run(['dead-letters', 'list', '--sqlite', 'outbox.db'], commands, terminal);
    await run(['dead-letters', 'list', '--sqlite', 'outbox.db', '--json'], commands, terminal);
    await folder.remove();

    const [list = '', json = ''] = written.map((text) => text.replace('out: ', ''));
    expect(list.startsWith(`${shown}\toutbox:crm\t`)).toBe(true);
    expect(json).not.toMatch(/[^\x20-\x7e\n]/);
    expect(JSON.parse(json)).toMatchObject({ deadLetters: [{ id: hostile }] });
  });
});
