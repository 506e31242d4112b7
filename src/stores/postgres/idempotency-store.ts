import { ignoreErrors } from '../../observability/ignore-errors.ts';
import { answeredWithin } from '../answered-within.ts';
import { type Change, type ClaimDocument, claimFormat, createClaims } from '../claims.ts';
import { assertFormat } from '../format.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import { prepareOnce } from '../prepare-once.ts';
import { emitServerWarning, type OnServerWarning, type ServerWarning } from '../server-warning.ts';
import { assertPool, assertTable, type PostgresPool } from './client.ts';

/** Options of an idempotency store in PostgreSQL. */
export interface PostgresIdempotencyStoreOptions {
  /** @defaultValue 'voice_agent_claims' */
  readonly table?: string | undefined;
  /**
   * Makes the table when it is not there, before the first claim. `false`: you have run
   * {@link idempotencyTableSql} yourself, since the application may not make tables. @defaultValue true
   */
  readonly createTable?: boolean | undefined;
  /**
   * The longest wait for an answer. Then a method rejects with `StoreError`; the server may still do what you asked
   * for. @defaultValue 2000
   */
  readonly timeoutMs?: number | undefined;
  /** Gets, once, what the settings of the server put at risk. @defaultValue a warning of the Node process */
  readonly onWarning?: OnServerWarning | undefined;
}

export const createPostgresIdempotencyStore = ({
  pool,
  table = 'voice_agent_claims',
  createTable = true,
  timeoutMs = 2_000,
  onWarning = emitServerWarning,
}: PostgresIdempotencyStoreOptions & { readonly pool: Pick<PostgresPool, 'query'> }): IdempotencyStore => {
  assertPool(pool);
  const sql = statements(assertTable(table));
  let nextCleaningAt = Number.NEGATIVE_INFINITY;

  const ready = prepareOnce(async () => {
    if (createTable) await pool.query(idempotencyTableSql(table));
    const { rows } = await pool.query(sql.settings);
    const comment = rows.find(({ name }) => name === commentName);
    // Without a table each statement says so.
    if (comment) {
      const found = Number(/ (\d+)$/.exec(String(comment.setting))?.[1] ?? 1);
      assertFormat({
        place: `PostgreSQL's table ${table} has claims`,
        found,
        known: claimFormat,
        instead: 'another table',
      });
    }
    for (const warning of postgresWarnings(rows)) ignoreErrors(() => onWarning(warning));
  });

  const clean = () => {
    if (performance.now() < nextCleaningAt) return;
    nextCleaningAt = performance.now() + cleanEveryMs;
    pool.query(sql.clean).catch(() => undefined);
  };

  const askNow = async (text: string, values: unknown[]): Promise<Change> => {
    await ready();
    clean();
    const row = (await pool.query(text, values)).rows[0];
    if (!row || row.is_done) return row && 'done';
    const ageMs = Number(row.age_ms);
    if (ageMs < 0) await pool.query(sql.startOver, [values[0]]);
    // Only `write` writes here.
    const document = JSON.parse(String(row.document)) as ClaimDocument;
    return { version: String(row.version), document, ageMs: Math.max(0, ageMs) };
  };

  const ask = (text: string, values: unknown[]) =>
    answeredWithin(askNow(text, values), { server: 'PostgreSQL', ms: timeoutMs });

  return createClaims({
    read: async (key) => {
      const found = await ask(sql.read, [key]);
      return found === 'done' ? undefined : found;
    },
    write: (key, { version, document, keepMs }, expected) => {
      const values = [key, version, JSON.stringify(document), keepMs];
      return expected
        ? ask(sql.replace, [...values, expected.version, expected.youngerThanMs])
        : ask(sql.insert, values);
    },
    remove: (key, expected) => ask(sql.remove, [key, expected.version, expected.youngerThanMs]),
  });
};

/**
 * The SQL that makes the table of {@link createPostgresIdempotencyStore}; running it twice does no harm.
 * Throws `InvalidArgumentError` for a name that would need quotes.
 *
 * @example
 * await pool.query(idempotencyTableSql('voice.claims'));
 */
export const idempotencyTableSql = (table = 'voice_agent_claims'): string => `
  DO $$ BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('${assertTable(table)}'));
    IF to_regclass('${table}') IS NULL THEN
      CREATE TABLE ${table} (
        key text PRIMARY KEY,
        version text NOT NULL,
        document text NOT NULL,
        written_at timestamptz NOT NULL,
        keep_until timestamptz NOT NULL
      );
      CREATE INDEX ${table.split('.').at(-1)}_kept ON ${table} (keep_until);
      COMMENT ON TABLE ${table} IS 'voice-agent-integrations: claims of format ${claimFormat}';
    END IF;
  END $$;
`;

const cleanEveryMs = 10_000;

const commentName = 'comment';

const statements = (table: string) => {
  // Not now(), which doesn't move within a transaction.
  const now = 'clock_timestamp()';
  const ms = (parameter: string) => `${parameter}::double precision * interval '1 millisecond'`;
  const found = `
    SELECT false AS is_done, version, document, extract(epoch FROM ${now} - written_at) * 1000 AS age_ms
    FROM ${table} WHERE key = $1 AND keep_until > ${now}`;
  const change = (statement: string) => `
    WITH changed AS (${statement} RETURNING 1)
    SELECT true AS is_done, NULL AS version, NULL AS document, NULL AS age_ms FROM changed
    UNION ALL (${found} AND NOT EXISTS (SELECT 1 FROM changed))`;
  const isExpected = (version: string, youngerThanMs: string) => `
    key = $1 AND version = ${version}
      AND (${youngerThanMs}::double precision IS NULL OR written_at > ${now} - ${ms(youngerThanMs)})`;
  return {
    read: found,
    // A key that is over is as one that is not there.
    insert: change(`
      INSERT INTO ${table} AS kept VALUES ($1, $2, $3, ${now}, ${now} + ${ms('$4')})
      ON CONFLICT (key) DO UPDATE SET version = excluded.version, document = excluded.document,
        written_at = excluded.written_at, keep_until = excluded.keep_until
      WHERE kept.keep_until <= ${now}`),
    replace: change(`
      UPDATE ${table} SET version = $2, document = $3, written_at = ${now}, keep_until = ${now} + ${ms('$4')}
      WHERE ${isExpected('$5', '$6')}`),
    remove: change(`DELETE FROM ${table} WHERE ${isExpected('$2', '$3')}`),
    // The clock was set back: a lease must not last for as long as that.
    startOver: `
      UPDATE ${table} SET keep_until = keep_until - (written_at - ${now}), written_at = ${now}
      WHERE key = $1 AND written_at > ${now}`,
    clean: `
      DELETE FROM ${table} WHERE key IN
        (SELECT key FROM ${table} WHERE keep_until <= ${now} LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
    settings: `
      SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')
      UNION ALL SELECT '${commentName}', obj_description(to_regclass('${table}'), 'pg_class')
      WHERE to_regclass('${table}') IS NOT NULL`,
  };
};

/** Returns what is wrong with a server that has to remember claims, by rows of `pg_settings`. */
const postgresWarnings = (rows: readonly Readonly<Record<string, unknown>>[]): ServerWarning[] => {
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const warnings: ServerWarning[] = [];
  if (settings.get('fsync') === 'off')
    warnings.push({
      code: 'postgres_no_fsync',
      message: `This PostgreSQL does not flush to disk (fsync off): a power loss may take claims and the database with them. Set fsync on.`,
    });
  if (settings.get('synchronous_commit') === 'off')
    warnings.push({
      code: 'postgres_commits_late',
      message: `This PostgreSQL acknowledges before it has flushed (synchronous_commit off): a power loss or a kill of the server takes the last claims. Set synchronous_commit on for this user.`,
    });
  return warnings;
};
