import { InvalidArgumentError } from '../../core/errors.ts';

/** A pool of connections to PostgreSQL (12 or later), made and closed by you: a `Pool` of pg. */
export interface PostgresPool {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly rowCount: number | null }>;
  connect(): Promise<PostgresListener>;
  on(event: 'connect', listener: (client: Pick<PostgresListener, 'on'>) => void): unknown;
  off(event: 'connect', listener: (client: Pick<PostgresListener, 'on'>) => void): unknown;
}

/** Throws `InvalidArgumentError` for something that is no pool. */
export const assertPool = (pool: Pick<PostgresPool, 'query'>): void => {
  if (typeof pool !== 'object' || pool === null || typeof pool.query !== 'function')
    throw new InvalidArgumentError('pool', 'must be a Pool of pg');
};

/**
 * The name of a table, perhaps with its schema, safe inside SQL.
 * Throws `InvalidArgumentError` for one that would need quotes.
 */
export const assertTable = (table: string): string => {
  if (!/^([a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,50}$/.test(table))
    throw new InvalidArgumentError('table', 'must be a name in lower case, perhaps after a schema and a dot');
  return table;
};

/** A connection of a pool. */
export interface PostgresListener {
  query(text: string): Promise<unknown>;
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  off(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  off(event: 'error' | 'end', listener: () => void): unknown;
  release(destroy: boolean): void;
}
