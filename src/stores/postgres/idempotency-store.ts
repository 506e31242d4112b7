import { StoreError } from '../../core/errors.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import { type Claim, type IdempotencyStore, type KeptWork } from '../ports/idempotency-store.ts';
import type { Json } from '../ports/json.ts';
import { answeredWithin } from '../answered-within.ts';
import { emitServerWarning, type OnServerWarning } from '../server-warning.ts';
import { assertPool, assertTable, type PostgresPool } from './client.ts';
import { postgresWarnings } from './server-settings.ts';

/** Where claims are kept in PostgreSQL, and how long to wait for it. */
export interface PostgresIdempotencyStoreOptions {
  /** @defaultValue 'voice_agent_claims' */
  readonly table?: string | undefined;
  /**
   * Makes the table when it is not there, before the first claim. `false`: you have run
   * {@link idempotencyTableSql} yourself, since the application may not make tables. @defaultValue true
   */
  readonly createTable?: boolean | undefined;
  /** After this without an answer a method rejects with `StoreError`; the server may still do what you asked for. @defaultValue 2000 */
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
  let prepared: Promise<void> | undefined;
  let nextCleaningAt = Number.NEGATIVE_INFINITY;

  const prepare = async () => {
    if (createTable) await pool.query(idempotencyTableSql(table));
    const { rows } = await pool.query(
      `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')`,
    );
    for (const warning of postgresWarnings(rows)) ignoreErrors(() => onWarning(warning));
  };

  /** If it fails, the next claim tries again. */
  const ready = () =>
    (prepared ??= prepare()).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });

  const clean = () => {
    if (performance.now() < nextCleaningAt) return;
    nextCleaningAt = performance.now() + cleanEveryMs;
    pool.query(sql.clean).catch(() => undefined);
  };

  const answered = <T>(work: () => Promise<T>) => answeredWithin(work(), { server: 'PostgreSQL', ms: timeoutMs });

  /** When the clock was set back since the claim, its lease starts over: it must not last for as long as that. */
  const look = async (key: string): Promise<Row | undefined> => {
    const kept = (await pool.query(sql.look, [key])).rows[0];
    if (!kept?.is_ahead) return kept;
    await pool.query(sql.moveBack, [key]);
    return (await pool.query(sql.look, [key])).rows[0];
  };

  const claimNow = async (
    ...[key, { fingerprint, leaseMs, retainMs, reopen = false }]: Parameters<IdempotencyStore['claim']>
  ) => {
    await ready();
    clean();
    const claim = crypto.randomUUID();
    // Between the two statements the key may be let go of; then it is asked for again.
    for (let tries = 0; tries < 10; tries += 1) {
      const given = (await pool.query(sql.claim, [key, fingerprint, claim, leaseMs, retainMs, reopen])).rows[0];
      if (given) return toGiven(given, claim);
      const kept = await look(key);
      const refusal = kept && toRefusal(kept, { fingerprint, reopen });
      if (refusal) return refusal;
    }
    throw new StoreError('the key changes hands faster than it can be claimed');
  };

  return {
    claim: (...asked) => answered(() => claimNow(...asked)),
    read: (key) =>
      answered(async () => {
        await ready();
        const kept = await look(key);
        return kept && toKept(kept);
      }),
    renew: async (key, claim, { leaseMs, note }) =>
      (await answered(() => pool.query(sql.renew, [key, claim, leaseMs, JSON.stringify(note)]))).rowCount === 1,
    settle: async (key, claim, result) =>
      (await answered(() => pool.query(sql.settle, [key, claim, JSON.stringify(result)]))).rowCount === 1,
    release: async (key, claim) => void (await answered(() => pool.query(sql.release, [key, claim]))),
  };
};

/**
 * The SQL that makes the table of {@link createPostgresIdempotencyStore}; running it twice does no harm.
 * Throws `InvalidArgumentError` for a name that would need quotes.
 *
 * @example
 * await pool.query(idempotencyTableSql('voice.claims'));
 */
export const idempotencyTableSql = (table = 'voice_agent_claims'): string => `
  SELECT pg_advisory_xact_lock(hashtext('${assertTable(table)}'));
  CREATE TABLE IF NOT EXISTS ${table} (
    key text PRIMARY KEY,
    fingerprint text NOT NULL,
    claim text,
    lease_until timestamptz,
    result text,
    note text,
    retain_ms double precision NOT NULL,
    keep_until timestamptz NOT NULL
  );
  CREATE INDEX IF NOT EXISTS ${table.split('.').at(-1)}_kept ON ${table} (keep_until);
`;

const cleanEveryMs = 10_000;

type Row = Readonly<Record<string, unknown>>;

const toGiven = ({ note, result }: Row, claim: string): Claim => {
  if (typeof result === 'string') return { state: 'finished', claim, result: JSON.parse(result) as Json };
  return typeof note === 'string'
    ? { state: 'unknown', claim, note: JSON.parse(note) as Json }
    : { state: 'new', claim };
};

const toKept = ({ note, result, lease_left_ms }: Row): KeptWork | undefined => {
  const retryAfterMs = Number(lease_left_ms ?? 0);
  if (retryAfterMs > 0) return { state: 'in-progress', retryAfterMs };
  if (typeof result === 'string') return { state: 'finished', result: JSON.parse(result) as Json };
  return typeof note === 'string' ? { state: 'unknown', note: JSON.parse(note) as Json } : undefined;
};

/** Nothing when the key could be claimed by now. */
const toRefusal = (
  kept: Row,
  { fingerprint, reopen }: { readonly fingerprint: string; readonly reopen: boolean },
): Claim | undefined => {
  if (kept.fingerprint !== fingerprint) return { state: 'conflict' };
  if (typeof kept.result === 'string' && !reopen) return { state: 'finished', result: JSON.parse(kept.result) as Json };
  const retryAfterMs = Number(kept.lease_left_ms ?? 0);
  return retryAfterMs > 0 ? { state: 'in-progress', retryAfterMs } : undefined;
};

const statements = (table: string) => {
  // Not now(), which doesn't move within a transaction.
  const now = 'clock_timestamp()';
  const later = (ms: string) => `${now} + ${ms} * interval '1 millisecond'`;
  const claimedAt = `(keep_until - retain_ms * interval '1 millisecond')`;
  return {
    // A key that is over is as one that is not there. What an abandoned claim knew, its note, stays.
    claim: `
      INSERT INTO ${table} AS kept (key, fingerprint, claim, lease_until, retain_ms, keep_until)
      VALUES ($1, $2, $3, ${later('$4::double precision')}, $5::double precision,
        ${later('greatest($4::double precision, $5::double precision)')})
      ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, claim = excluded.claim,
        lease_until = excluded.lease_until, retain_ms = excluded.retain_ms, keep_until = excluded.keep_until,
        result = CASE WHEN kept.keep_until > ${now} THEN kept.result END,
        note = CASE WHEN kept.keep_until > ${now} THEN kept.note END
      WHERE kept.keep_until <= ${now} OR (kept.fingerprint = excluded.fingerprint AND (kept.result IS NULL OR $6)
        AND (kept.lease_until IS NULL OR kept.lease_until <= ${now}))
      RETURNING note, result`,
    look: `
      SELECT fingerprint, result, note, extract(epoch FROM lease_until - ${now}) * 1000 AS lease_left_ms,
        lease_until < keep_until AND ${claimedAt} > ${now} AS is_ahead
      FROM ${table} WHERE key = $1 AND keep_until > ${now}`,
    moveBack: `
      UPDATE ${table} SET lease_until = lease_until - (${claimedAt} - ${now}), keep_until = ${later('retain_ms')}
      WHERE key = $1 AND lease_until < keep_until AND ${claimedAt} > ${now}`,
    renew: `
      UPDATE ${table} SET result = NULL, note = $4, lease_until = ${later('$3::double precision')},
        keep_until = ${later('greatest($3::double precision, retain_ms)')}
      WHERE key = $1 AND claim = $2 AND lease_until > ${now}`,
    settle: `
      UPDATE ${table} SET result = $3, note = NULL, claim = NULL, lease_until = NULL, keep_until = ${later('retain_ms')}
      WHERE key = $1 AND claim = $2 AND lease_until > ${now}`,
    release: `DELETE FROM ${table} WHERE key = $1 AND claim = $2 AND lease_until > ${now}`,
    clean: `
      DELETE FROM ${table} WHERE key IN
        (SELECT key FROM ${table} WHERE keep_until <= ${now} LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
  };
};
