import { postgresWarnings } from '../postgres/server-settings.ts';
import { isPowerLossSafe, readRedisSettings, redisWarnings } from '../redis/server-settings.ts';
import type { ServerWarning } from '../server-warning.ts';
import type { Driver } from './connection.ts';
import type { Server } from './server.ts';

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
export const checkSafety = async ({ engine }: Driver, { ask }: Server): Promise<QueueSafety> => {
  if (engine === 'redis') {
    const settings = await readRedisSettings(ask);
    return { powerLossSafe: isPowerLossSafe(settings), warnings: redisWarnings(settings, 'messages') };
  }
  const asked = "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')";
  const { rows } = (await ask(asked)) as { readonly rows: readonly Readonly<Record<string, unknown>>[] };
  const warnings = postgresWarnings(rows, 'messages');
  return { powerLossSafe: warnings.length === 0, warnings };
};
