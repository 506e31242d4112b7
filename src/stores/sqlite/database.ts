import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { claimFormat } from '../claims.ts';
import { assertFormat } from '../format.ts';

/** An open file. */
export interface Database extends Disposable {
  readonly file: string;
  readonly sql: DatabaseSync;
  /** All of `work` or nothing of it, safe on the disk when it returns. */
  inTransaction<T>(work: () => T): T;
}

/**
 * Opens a file so that a commit survives the loss of power, and so that other processes may use it at the same time.
 * @param busyTimeoutMs how long to wait for a lock of another process
 */
export const openDatabase = (file: string, busyTimeoutMs: number): Database => {
  const inode = createPrivately(file);
  const sql = open(file);
  // First of all: every statement from here on may meet the lock of another process.
  sql.exec(`PRAGMA busy_timeout = ${Math.ceil(Math.min(shortWaitMs, busyTimeoutMs))}`);
  const whenUnlocked = (work: () => void) => waitWhileLocked(work, busyTimeoutMs);
  // SQLite does not wait by itself for the change to another journal, which two processes may make at once.
  whenUnlocked(() => sql.exec('PRAGMA journal_mode = WAL'));
  // FULL: one fsync of the log per commit. NORMAL would leave it to the next checkpoint.
  sql.exec('PRAGMA synchronous = FULL');
  return {
    file,
    sql,
    inTransaction: (work) => {
      whenUnlocked(() => sql.exec('BEGIN IMMEDIATE'));
      try {
        const result = work();
        assertStillThere(file, inode);
        sql.exec('COMMIT');
        return result;
      } catch (error) {
        rollBack(sql);
        throw error;
      }
    },
    [Symbol.dispose]: () => sql.close(),
  };
};

/** Makes the file so that only its owner may read it; SQLite gives the files next to it the same mode. Returns its inode if it opens. */
export const createPrivately = (file: string): number | undefined => {
  try {
    const descriptor = openSync(file, 'a', 0o600);
    try {
      return fstatSync(descriptor).ino;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // SQLite names the problem when it opens the file.
    return undefined;
  }
};

/** A deleted file stays writable for the processes that have it open, and its commits are lost with them. */
const assertStillThere = (file: string, inode: number | undefined): void => {
  if (statSync(file, { throwIfNoEntry: false })?.ino === inode) return;
  throw new Error(`${file} was deleted or replaced while it was open; restart this process to go on with a new file`);
};

/**
 * SQLite looks for the lock ever more rarely, at last every 100 ms. Next to a process that writes all the time it would
 * hardly ever find it free. Asked again after this time, it looks every few milliseconds.
 */
const shortWaitMs = 20;

const waitWhileLocked = (work: () => void, forMs: number): void => {
  const until = performance.now() + forMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || performance.now() >= until) throw error;
      // Not all of SQLite's refusals have waited.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
};

/** Returns `true` if another process held the lock for too long. */
export const isLocked = (error: unknown): boolean => hasCode(error, busy);

/** Returns `true` for an error with the code, or one of its kinds. https://sqlite.org/rescode.html */
export const hasCode = (error: unknown, code: number): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === code;

const busy = 5;

export const notADatabase = 26;

/** On a full disk SQLite has rolled back by itself and has nothing left to roll back. */
const rollBack = (sql: DatabaseSync): void => {
  try {
    sql.exec('ROLLBACK');
  } catch {}
};

/** The parts that a file can hold, with the format that this version gives them. */
export const formats = { messages: 2, claims: claimFormat } as const;

/** Makes the tables of `name` in a file that has none of them. Throws `StoreError` for those of another version. */
export const makeTables = ({ file, sql, inTransaction }: Database, name: keyof typeof formats, schema: string): void =>
  inTransaction(() => {
    sql.exec('CREATE TABLE IF NOT EXISTS voice_agent_schema (name TEXT PRIMARY KEY, version INTEGER NOT NULL)');
    const found = readFormat(sql, name);
    if (found !== undefined) return assertKnownFormat(file, name, found);
    sql.exec(schema);
    sql.prepare('INSERT INTO voice_agent_schema (name, version) VALUES (?, ?)').run(name, formats[name]);
  });

/** The format of what a file holds, if it holds any. Changes nothing in it. Throws for what is no database. */
export const formatIn = (file: string, name: keyof typeof formats): number | undefined => {
  const sql = open(file, { readOnly: true });
  try {
    const tables = sql.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'voice_agent_schema'");
    return tables.get() && readFormat(sql, name);
  } finally {
    sql.close();
  }
};

/** Throws `StoreError` for another format than {@link formats} has. */
export const assertKnownFormat = (file: string, name: keyof typeof formats, found: number): void =>
  assertFormat({ place: `${file} has ${name}`, found, known: formats[name], instead: 'a new file' });

const readFormat = (sql: DatabaseSync, name: string): number | undefined => {
  const row = sql.prepare('SELECT version FROM voice_agent_schema WHERE name = ?').get(name);
  return row && Number(row.version);
};

/** Opens a file without an import of node:sqlite: a Node without it gets as far as an error that says so. */
const open = (file: string, options?: { readonly readOnly: boolean }): DatabaseSync => {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  return new DatabaseSync(file, { ...options });
};
