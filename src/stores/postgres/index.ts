export type { Claim, IdempotencyStore } from '../../ports/idempotency-store.ts';
export type { Json, JsonObject } from '../../ports/json.ts';
export type { OnServerWarning, ServerWarning } from '../server-warning.ts';
export type { PostgresPool } from './client.ts';
export {
  idempotencyTableSql,
  postgresIdempotencyStore,
  type PostgresIdempotencyStoreOptions,
} from './idempotency-store.ts';
