/**
 * Claims and callbacks that all processes share, in PostgreSQL. Needs a pool of `pg`.
 *
 * @module
 */
export type { EventExchange } from '../../ports/event-exchange.ts';
export type { Claim, IdempotencyStore } from '../../ports/idempotency-store.ts';
export type { Json, JsonObject } from '../../ports/json.ts';
export type { OnServerWarning, ServerWarning } from '../server-warning.ts';
export type { PostgresListener, PostgresListenerPool, PostgresPool } from './client.ts';
export { eventTableSql, postgresEventExchange, type PostgresEventExchangeOptions } from './event-exchange.ts';
export {
  idempotencyTableSql,
  postgresIdempotencyStore,
  type PostgresIdempotencyStoreOptions,
} from './idempotency-store.ts';
