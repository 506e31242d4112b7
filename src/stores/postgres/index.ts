/**
 * Claims and callbacks that all processes share, in PostgreSQL. Needs a pool of `pg`.
 *
 * @module
 */
import { assertKnown, type OptionNames } from '../../core/option-checks.ts';
import type { EventExchange } from '../ports/event-exchange.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { PostgresPool } from './client.ts';
import { createPostgresEventExchange, type PostgresEventExchangeOptions } from './event-exchange.ts';
import { createPostgresIdempotencyStore, type PostgresIdempotencyStoreOptions } from './idempotency-store.ts';

export type { ServerWarning } from '../server-warning.ts';
export type { PostgresListener } from './client.ts';
export { eventTableSql } from './event-exchange.ts';
export { idempotencyTableSql } from './idempotency-store.ts';
export type { PostgresEventExchangeOptions, PostgresIdempotencyStoreOptions, PostgresPool };

/** The stores that processes can share over one PostgreSQL. */
export interface PostgresStores {
  /**
   * Keeps claims in a table. Each change is one statement, and time is the server's. What it has acknowledged survives a
   * kill and a power loss as your transactions do.
   * Methods reject with `StoreError` when the server fails or doesn't answer.
   */
  idempotencyStore(options?: PostgresIdempotencyStoreOptions): IdempotencyStore;
  /**
   * Lets a phone call wait for a callback that arrives at another process. A table keeps the event for a while, and
   * `NOTIFY` sends its key to all processes. It keeps one connection of the pool to listen on, from the first wait to
   * `close`; that doesn't work behind a pooler that shares connections.
   */
  eventExchange(options?: PostgresEventExchangeOptions): EventExchange;
}

/**
 * Shares claims and callbacks between processes, over a pool that you make and close.
 *
 * @example
 * const store = postgres({ pool: new Pool({ connectionString }) }).idempotencyStore();
 */
export const postgres = (connection: { readonly pool: PostgresPool }): PostgresStores => {
  assertKnown(connection, { pool: true }, 'postgres', { connectionString: 'pool', url: 'pool', client: 'pool' });
  const { pool } = connection;
  return {
    idempotencyStore: (options) => {
      assertKnown(options, storeNames);
      return createPostgresIdempotencyStore({ ...options, pool });
    },
    eventExchange: (options) => {
      assertKnown(options, exchangeNames);
      return createPostgresEventExchange({ ...options, pool });
    },
  };
};

const storeNames: OptionNames<PostgresIdempotencyStoreOptions> = {
  table: true,
  createTable: true,
  timeoutMs: true,
  onWarning: true,
};
const exchangeNames: OptionNames<PostgresEventExchangeOptions> = {
  table: true,
  createTable: true,
  timeoutMs: true,
  pollMs: true,
  onError: true,
};
