import { DatabaseSync } from 'node:sqlite';

/** Whether a file holds a message queue of this package. Changes nothing in it. Throws for what is no database. */
export const holdsMessages = (file: string): boolean => {
  const sql = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = sql.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'voice_agent_schema'");
    if (tables.get() === undefined) return false;
    return sql.prepare("SELECT 1 FROM voice_agent_schema WHERE name = 'messages'").get() !== undefined;
  } finally {
    sql.close();
  }
};
