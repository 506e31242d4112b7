import { postgresWarnings } from '../postgres/server-settings.ts';
import { isPowerLossSafe, readRedisSettings, redisWarnings } from '../redis/server-settings.ts';
import type { ServerWarning } from '../server-warning.ts';
import type { Answered } from './answered.ts';
import type { Backends } from './backends.ts';
import type { Driver } from './connection.ts';

/** How safe the server keeps what it has acknowledged. */
export interface QueueSafety {
  /**
   * Whether a message that was acknowledged survives the loss of power: on Redis with `appendfsync always`, on
   * PostgreSQL with `fsync` and `synchronous_commit`. `undefined`: the server would not say.
   */
  readonly powerLossSafe: boolean | undefined;
  /** What is set wrong, and what to set. */
  readonly warnings: readonly ServerWarning[];
}

/** Asks the server for the settings that decide whether it forgets. */
export const checkSafety = async (driver: Driver, backends: Backends, answered: Answered): Promise<QueueSafety> => {
  if (driver.engine === 'postgres') return checkPostgres((statement) => answered(backends.ask(statement)));
  const settings = await readRedisSettings((command, ...args) => answered(backends.ask(command, ...args)));
  return { powerLossSafe: isPowerLossSafe(settings), warnings: redisWarnings(settings, 'messages') };
};

const checkPostgres = async (query: (statement: string) => Promise<unknown>): Promise<QueueSafety> => {
  const asked = "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')";
  const { rows } = (await query(asked)) as { readonly rows: readonly Readonly<Record<string, unknown>>[] };
  const warnings = postgresWarnings(rows, 'messages');
  return { powerLossSafe: warnings.length === 0, warnings };
};
