import { DatabaseSync } from 'node:sqlite';

/**
 * Opens a file so that a commit survives the loss of power, and so that other processes may use it at the same time.
 * @param busyTimeoutMs how long to wait for a lock of another process
 */
export const openDatabase = (file: string, busyTimeoutMs: number): DatabaseSync => {
  const database = new DatabaseSync(file);
  // First of all: every statement from here on may meet the lock of another process.
  database.exec(`PRAGMA busy_timeout = ${Math.round(busyTimeoutMs)}`);
  database.exec('PRAGMA journal_mode = WAL');
  // FULL: one fsync of the log per commit. NORMAL would leave it to the next checkpoint.
  database.exec('PRAGMA synchronous = FULL');
  return database;
};

/** Makes what is missing of tables; `version` is written into the file, and a newer file is refused. */
export const migrate = (database: DatabaseSync, name: string, version: number, schema: string): void => {
  inTransaction(database, () => {
    database.exec('CREATE TABLE IF NOT EXISTS voice_agent_schema (name TEXT PRIMARY KEY, version INTEGER NOT NULL)');
    const row = database.prepare('SELECT version FROM voice_agent_schema WHERE name = ?').get(name);
    const found = row === undefined ? 0 : Number(row.version);
    if (found > version) throw new Error(`${name} was written by a newer version of this package`);
    if (found === version) return;
    database.exec(schema);
    database.prepare('INSERT INTO voice_agent_schema (name, version) VALUES (?, ?)').run(name, version);
  });
};

/** All of `work` or nothing of it, safe on the disk when it returns. */
export const inTransaction = <T>(database: DatabaseSync, work: () => T): T => {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
};

/** On a full disk SQLite has rolled back by itself and has nothing left to roll back. */
const rollBack = (database: DatabaseSync): void => {
  try {
    database.exec('ROLLBACK');
  } catch {}
};
