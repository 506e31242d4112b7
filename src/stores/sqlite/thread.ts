import { isBuiltin } from 'node:module';
import { Worker } from 'node:worker_threads';
import { InvalidArgumentError, StoreError } from '../../core/errors.ts';
import type { Remote } from '../message-ledger.ts';
import { assertKnownFormat, createPrivately, formatIn, hasCode, notADatabase } from './database.ts';
import type { Request, ThreadData, Response } from './worker.ts';

/** The file of a store or a queue; one file may hold both. */
export interface SqliteOptions {
  /** The path of the file. It's made if it's missing, but its folder isn't. */
  readonly file: string;
  /** The longest wait while another process writes. @defaultValue 5000 */
  readonly busyTimeoutMs?: number | undefined;
}

/** Tables in a file, in a thread of their own, so that no fsync holds up the event loop. */
export interface SqliteThread<Ledger> {
  readonly ledger: Remote<Ledger>;
  /** Throws `StoreError` where the file can't be opened, without a wait for the thread. */
  assertUsable(): void;
  close(): Promise<void>;
}

/**
 * Opens the file in a thread of its own. Requests of one turn of the event loop, and those that came while the thread
 * was busy, become one transaction with one fsync. The answers come after it. A process is kept alive by an answer that
 * is still to come, not by the thread itself. Throws `InvalidArgumentError` without a file, and `StoreError` where Node
 * has no node:sqlite. Asking rejects with `StoreError` when the file cannot be opened, read or written, and after
 * {@link SqliteThread.close}.
 */
export const startSqliteThread = <Ledger>(
  kind: ThreadData['kind'],
  { file, busyTimeoutMs = 5_000 }: SqliteOptions,
): SqliteThread<Ledger> => {
  if (typeof file !== 'string' || file === '') throw new InvalidArgumentError('file', 'must be the path of a file');
  assertSqlite();
  const workerData: ThreadData = { kind, file, busyTimeoutMs };
  const worker = new Worker(workerUrl, { workerData, name: `voice-agent-integrations sqlite ${kind}` });
  const waiting = new Map<number, Waiter>();
  let requests: Request[] = [];
  let lastId = 0;
  let end: StoreError | undefined;

  const fail = (error: StoreError) => {
    end ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    worker.unref();
  };

  const send = () => {
    worker.postMessage(requests);
    requests = [];
  };

  const ask = (method: string, args: readonly unknown[]): Promise<unknown> => {
    if (end) return Promise.reject(end);
    lastId += 1;
    const id = lastId;
    if (waiting.size === 0) worker.ref();
    // A turn later, so that what is asked for in the same turn goes the same way at once.
    if (requests.push([id, method, args]) === 1) setImmediate(send);
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };

  worker.on('message', (responses: readonly Response[]) => {
    for (const [id, isDone, value] of responses) {
      const waiter = waiting.get(id);
      waiting.delete(id);
      if (isDone) waiter?.resolve(value);
      else waiter?.reject(new StoreError(`sqlite: ${wordsOf(value, file)}`, { outcome: 'not_sent' }));
    }
    if (waiting.size === 0) worker.unref();
  });
  worker.on('error', (cause) =>
    fail(new StoreError('the thread of the sqlite store failed', { outcome: 'unknown', cause })),
  );
  worker.on('exit', () => fail(new StoreError('the sqlite store is closed', { outcome: 'unknown' })));
  // After the listener for messages, which would have the thread keep the process alive again.
  worker.unref();

  // Whatever method is asked for: that the thread has it is the caller's word.
  const get =
    (_ledger: object, method: string) =>
    (...args: readonly unknown[]) =>
      ask(method, args);

  return {
    ledger: new Proxy({}, { get }) as Remote<Ledger>,
    assertUsable: () => assertOpens(file, kind),
    close: async () => {
      if (end) return;
      await ask('close', []).catch(() => undefined);
      await worker.terminate();
    },
  };
};

/** SQLite itself names no file. */
const wordsOf = (problem: unknown, file: string): string =>
  problem === 'unable to open database file'
    ? `${problem} ${file}: its folder must be there, and this process be allowed to write in it`
    : String(problem);

const assertOpens = (file: string, kind: ThreadData['kind']): void => {
  if (createPrivately(file) === undefined) throw new StoreError(wordsOf('unable to open database file', file));
  try {
    const found = formatIn(file, kind);
    if (found !== undefined) assertKnownFormat(file, kind, found);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (hasCode(error, notADatabase)) throw new StoreError(`${file} is a file of another kind: it is no database`);
    // The thread waits for locks and looks again.
  }
};

interface Waiter {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StoreError) => void;
}

/** The worker next to this file, in the source as well as in the build. */
const workerUrl = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);

const assertSqlite = () => {
  if (isBuiltin('node:sqlite')) return;
  throw new StoreError(
    `this Node (${process.version}) has no node:sqlite; it is part of Node from 22.13 on, without --no-experimental-sqlite`,
  );
};
