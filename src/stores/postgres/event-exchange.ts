import type { EventExchange } from '../ports/event-exchange.ts';
import { prepareOnce } from '../prepare-once.ts';
import { createSharedEventExchange, type EventBoard } from '../shared-event-exchange.ts';
import { assertPool, assertTable, type PostgresListener, type PostgresPool } from './client.ts';

/** The pool that carries callbacks between processes, and how it is used. */
export interface PostgresEventExchangeOptions {
  /** @defaultValue 'voice_agent_events' */
  readonly table?: string | undefined;
  /** Makes the table if it's missing. `false`: you have run {@link eventTableSql} yourself. @defaultValue true */
  readonly createTable?: boolean | undefined;
  /** The longest wait for an answer. Then `post` rejects with `StoreError`. @defaultValue 2000 */
  readonly timeoutMs?: number | undefined;
  /** The time between two looks for events whose announcement was lost, while a call waits. @defaultValue 1000 */
  readonly pollMs?: number | undefined;
  /** Gets what keeps it from listening; it tries again. What it throws is ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export const createPostgresEventExchange = ({
  pool,
  table = 'voice_agent_events',
  createTable = true,
  timeoutMs = 2_000,
  pollMs = 1_000,
  onError,
}: PostgresEventExchangeOptions & { readonly pool: PostgresPool }): EventExchange => {
  assertPool(pool);
  const channel = assertTable(table).replace('.', '_').slice(0, longestChannel);
  const ready = prepareOnce(async () => createTable && pool.query(eventTableSql(table)));

  const board: EventBoard = {
    write: async (key, text, keepMs) => {
      await ready();
      await pool.query(`DELETE FROM ${table} WHERE keep_until <= clock_timestamp()`);
      // One statement, so that the event is there when its key is announced.
      await pool.query(
        `WITH written AS (
           INSERT INTO ${table} (key, event, keep_until)
           VALUES ($1, $2, clock_timestamp() + $3::double precision * interval '1 millisecond')
           ON CONFLICT (key) DO UPDATE SET event = excluded.event, keep_until = excluded.keep_until RETURNING key)
         SELECT pg_notify('${channel}', key) FROM written`,
        [key, text, keepMs],
      );
    },
    read: async (key) => {
      await ready();
      const { rows } = await pool.query(
        `SELECT event FROM ${table} WHERE key = $1 AND keep_until > clock_timestamp()`,
        [key],
      );
      const event = rows[0]?.event;
      return typeof event === 'string' ? event : undefined;
    },
    listen: async (onKey, onLost) => {
      pool.on('connect', ignoreErrors);
      const client = await pool.connect().finally(() => pool.off('connect', ignoreErrors));
      let isReleased = false;
      const release = (broken: boolean) => {
        if (isReleased) return;
        isReleased = true;
        client.off('notification', onNotification);
        client.release(broken);
      };
      const onNotification = ({ payload }: { readonly payload?: string | undefined }) => {
        if (payload !== undefined) onKey(payload);
      };
      const onEnd = () => {
        release(true);
        onLost();
      };
      client.on('notification', onNotification);
      client.on('error', onEnd);
      client.on('end', onEnd);
      try {
        await client.query(`LISTEN ${channel}`);
      } catch (error) {
        release(true);
        throw error;
      }
      return async () => {
        // A connection that still listens must not go back into the pool.
        client.off('end', onEnd);
        release(true);
      };
    },
  };
  return createSharedEventExchange({ board, server: 'PostgreSQL', timeoutMs, pollMs, onError });
};

/**
 * pg emits `error` on a client that breaks while it is lent out, and Node ends a process that does not listen. A server
 * may close the connection right after its greeting, which is before `connect()` has resolved.
 */
const ignoreErrors = (client: Pick<PostgresListener, 'on'>) => void client.on('error', () => undefined);

/** PostgreSQL cuts longer names off. */
const longestChannel = 63;

/**
 * The SQL that makes the table of {@link createPostgresEventExchange}; running it twice does no harm.
 * Throws `InvalidArgumentError` for a name that would need quotes.
 *
 * @example
 * await pool.query(eventTableSql('voice.events'));
 */
export const eventTableSql = (table = 'voice_agent_events'): string => `
  SELECT pg_advisory_xact_lock(hashtext('${assertTable(table)}'));
  CREATE TABLE IF NOT EXISTS ${table} (key text PRIMARY KEY, event text NOT NULL, keep_until timestamptz NOT NULL);
`;
