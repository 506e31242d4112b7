/** The thread that holds the database: runs what has come in as one transaction, then answers. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { createClaimTables } from './claim-tables.ts';
import { isLocked, openDatabase } from './database.ts';
import { createMessageTables } from './message-tables.ts';

export interface ThreadData {
  readonly kind: 'messages' | 'claims';
  readonly file: string;
  readonly busyTimeoutMs: number;
}

/** A method of the ledger, or `close`. */
export type Request = readonly [id: number, method: string, args: readonly unknown[]];

/** The method's result, or the reason why it failed. */
export type Response = readonly [id: number, isDone: boolean, value: unknown];

const start = (port: NonNullable<typeof parentPort>, { kind, file, busyTimeoutMs }: ThreadData) => {
  const open = () => {
    const database = openDatabase(file, busyTimeoutMs);
    const ledger = kind === 'messages' ? createMessageTables(database) : createClaimTables(database);
    return { database, methods: new Map(Object.entries(ledger)) };
  };
  let opened: ReturnType<typeof open> | undefined;

  const run = ([id, method, args]: Request): Response => {
    const work: ((...args: readonly unknown[]) => unknown) | undefined = opened?.methods.get(method);
    return [id, true, work?.(...args)];
  };

  const failed = ([id]: Request, error: unknown): Response => [id, false, messageOf(error)];

  /** Runs them together, with one fsync. If one fails, each runs by itself, so that it fails alone. */
  const runAll = (requests: readonly Request[]): readonly Response[] => {
    try {
      opened ??= open();
      const { database } = opened;
      try {
        return database.inTransaction(() => requests.map(run));
      } catch (error) {
        // One by one would wait as long for the lock each time.
        if (requests.length === 1 || isLocked(error)) throw error;
        return requests.flatMap((request) => runAll([request]));
      }
    } catch (error) {
      return requests.map((request) => failed(request, error));
    }
  };

  port.on('message', (first: readonly Request[]) => {
    const requests = [...first];
    for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
      requests.push(...(more.message as readonly Request[]));
    }
    const closing = requests.filter(([, method]) => method === 'close');
    const work = requests.filter(([, method]) => method !== 'close');
    if (work.length > 0) port.postMessage(runAll(work));
    if (closing.length === 0) return;
    opened?.database[Symbol.dispose]();
    port.postMessage(closing.map(([id]): Response => [id, true, undefined]));
  });
};

/** SQLite's messages name tables and columns, never values. */
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'failed');

if (parentPort) start(parentPort, workerData as ThreadData);
