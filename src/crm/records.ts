import type { CreatedRecord } from './object-table.ts';
import type { FieldPath, Where } from './where.ts';

/** A record that was created or changed. */
export interface UpsertedRecord extends CreatedRecord {
  /** `false`: it was there already, and was changed. */
  readonly created: boolean;
}

/** What a query reads, which rows, and in which order. */
export interface QueryOptions<Row> {
  /** The fields to read, also of parents: `Owner.Name`. Each must exist in the org. @defaultValue the id */
  readonly fields?: readonly FieldPath<Row>[] | undefined;
  /** @defaultValue all rows */
  readonly where?: Where<Row> | undefined;
  /** Sorted by the first field, then by the next. Empty ones come first. */
  readonly orderBy?:
    | readonly {
        readonly field: FieldPath<Row>;
        /** @defaultValue 'asc' */
        readonly direction?: 'asc' | 'desc' | undefined;
      }[]
    | undefined;
  /** How many rows at most, over all pages. @defaultValue all; where the API has no pages, 200 */
  readonly limit?: number | undefined;
}
