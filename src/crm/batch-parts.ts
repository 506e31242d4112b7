import type { ApiProblem } from '../core/errors.ts';
import type { Endpoint } from '../http/operation.ts';
import type { AnyFields } from './object-table.ts';

/** What became of one record of a batch. */
export type BatchItem<Done> =
  | { readonly status: 'done'; readonly record: Done }
  /** The API refused it: nothing was done about this record. */
  | { readonly status: 'failed'; readonly problems: readonly ApiProblem[] }
  /** The answer doesn't say what became of it. */
  | { readonly status: 'unknown' };

/** What a batch is about, checked already. */
export type BatchRequest =
  | { readonly action: 'get'; readonly ids: readonly string[]; readonly fields: readonly string[] | undefined }
  | { readonly action: 'create'; readonly records: readonly AnyFields[] }
  | { readonly action: 'update'; readonly records: readonly { readonly id: string; readonly fields: AnyFields }[] }
  | {
      readonly action: 'upsert';
      readonly records: readonly {
        readonly by: { readonly field: string; readonly value: string };
        readonly fields: AnyFields;
      }[];
    };

/** One record of an answer: the API's, and with `get` the client's. */
export interface BatchRecord extends AnyFields {
  readonly id: string | undefined;
}

/** The request of a batch, and what its answer says of each record, in their order. */
export interface BatchEndpoint extends Endpoint {
  readonly items: (json: unknown) => readonly BatchItem<BatchRecord>[];
}
