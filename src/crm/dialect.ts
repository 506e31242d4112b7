import type { EntryOverrides } from '../api/entry.ts';
import type { ApiProblem, ClientError } from '../core/errors.ts';
import type { LocalClock } from '../core/local-clock.ts';
import type { HttpDialect } from '../http/dialect.ts';
import type { Endpoint } from '../http/operation.ts';
import { jsonIn } from '../stores/ports/json.ts';
import type { PersonSearch } from './contacts.ts';
import type { compositeEndpoint, RecordEndpoints } from './endpoints.ts';
import type { LabelList } from './labels.ts';
import type { AnyFields } from './object-table.ts';
import { problemsIn, rejectUnsuccessful } from './problems.ts';
import type { MatchPhone, SearchOf } from './search-query.ts';

/** The differences of a CRM. The values in its operations are checked already. */
export interface CrmDialect {
  /** The platform, as people call it. @defaultValue none */
  readonly name?: string | undefined;
  /** The refusals and limits of its answers. */
  readonly http: HttpDialect;
  /** The problem of a version; `undefined`: none. */
  readonly versionProblem: (version: unknown) => string | undefined;
  /** The prefix of every path. */
  readonly pathPrefix: (version: string) => string;
  /** The differences of an object's operations. The clock is that of the business, for days that are moments. */
  readonly endpoints: (object: string, clock: LocalClock) => EntryOverrides<RecordEndpoints>;
  /** The field that keeps idempotency keys: a create with a key is an upsert by it. `undefined`: there is none. */
  readonly keyField: (object: string) => string | undefined;
  /**
   * The field of a new record that keeps its idempotency key. A search by it finds the record as soon as
   * it's made. `undefined`: there is none.
   */
  readonly referenceField: (object: string) => string | undefined;
  /** Sent with what is created. */
  readonly createHeaders: (object: string) => Readonly<Record<string, string>>;
  /** The conditions of which one makes a phone number that of a record. */
  readonly matchPhone: MatchPhone;
  /** The compared phone fields that a search by phone reads too, so that a row shows whose it is. */
  readonly phonesRead: (object: string) => readonly string[];
  /** Further searches; each is asked only when those before it found nothing. Without a `limit` all rows are wanted. */
  readonly searchFurther: (
    object: string,
    by: SearchOf<string> & PersonSearch & { readonly isConverted?: boolean | undefined },
    context: SearchContext,
  ) => readonly Endpoint[];
  /** The field that a refused search named and that the user may not see, or that isn't there; `undefined`: it's another refusal. */
  readonly hiddenField: (error: ClientError) => string | undefined;
  /** The time in which a search may not know a new person. @defaultValue 0 */
  readonly searchDelayMs: number;
  /** The most rows that one search may ask for; `Infinity`: all that there are. */
  readonly mostRows: number;
  /**
   * The CRM may have no more than the default API needs. Contacts and accounts may have no search, and a search that is
   * refused is asked for less.
   */
  readonly isMinimal: boolean;
  /** The CRM can change a Task. Otherwise a phone call writes its one Task when it's finished. */
  readonly changesTasks: boolean;
  /** The fields of an appointment that is canceled. @defaultValue none: it's deleted */
  readonly canceledEvent: AnyFields | undefined;
  /** The request for the next rows; `undefined`: these were all. */
  readonly nextPage: (answer: unknown, request: Endpoint) => Endpoint | undefined;
  /** The differences of several writes in one request. */
  readonly composite: EntryOverrides<{ readonly composite: typeof compositeEndpoint }>['composite'];
  /** The reason why several writes can't be one request, and the way out; `undefined`: they can. */
  readonly refusesComposite: string | undefined;
  /** The request for many records of one object, and the reader of its answer; `undefined`: there's none. */
  readonly batch: ((object: string, batch: BatchRequest, clock: LocalClock) => BatchEndpoint) | undefined;
  /** The endpoint of an upsert, if it isn't a path of object, field and value. */
  readonly upsert: (
    object: string,
    by: { readonly field: string; readonly value: string },
    fields: AnyFields,
    clock: LocalClock,
  ) => Partial<Endpoint>;
  /** The fields of an update that are requests of their own, which may be repeated. */
  readonly links: (object: string, id: string, fields: AnyFields) => readonly Endpoint[];
  /** Returns whether an update has fields besides its links. */
  readonly hasOwnFields: (object: string, fields: AnyFields) => boolean;
  /** The field of an object whose values are ids that people know by labels. @defaultValue none */
  readonly labels: (object: string) => LabelList | undefined;
  /**
   * The fields of a record that the CRM has no place for, by their names or because a refusal's problems are about them.
   * Their words go into the record's `Description`. @defaultValue none
   */
  readonly leavesOut: (object: string, fields: AnyFields, problems?: readonly ApiProblem[]) => readonly string[];
  /**
   * The look-up after a create whose end is unknown: the search of people, a request that answers 404 if nothing was
   * created, or none.
   */
  readonly lookUp: (object: string, fields: AnyFields) => 'search' | 'never' | Endpoint;
  /** A new lead and the Task about it can be made in one request. Both need a `keyField`. */
  readonly leadWithTask: boolean;
  /** The internal note on a case. @defaultValue a `CaseComment` that isn't published */
  readonly caseNote: (caseId: string, body: string) => CaseNote;
}

/** The record that is an internal note on a case. */
export interface CaseNote {
  /** The object that keeps notes, such as `CaseComment`. */
  readonly object: string;
  readonly fields: AnyFields;
  /**
   * The fields of its case and its words, for a CRM whose search finds a new record at once. A note whose end is
   * unknown is then looked up before it's sent again. `undefined`: it isn't sent again.
   */
  readonly findBy: { readonly caseId: string; readonly body: string } | undefined;
}

/** The result of one record of a batch. */
export type BatchItem<Done> =
  | { readonly status: 'done'; readonly record: Done }
  /** The API refused it: nothing was done about this record. */
  | { readonly status: 'failed'; readonly problems: readonly ApiProblem[] }
  /** The answer doesn't say what became of it. */
  | { readonly status: 'unknown' };

/** The contents of a batch, checked already. */
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

/** The business's clock and the org's hidden fields, which a search needs. */
export interface SearchContext {
  /** The clock of the business, for days that are moments. */
  readonly clock: LocalClock;
  /** The fields that the org hides. */
  readonly hidden: ReadonlySet<string>;
}

/** The default API. */
export const documentedCrm: CrmDialect = {
  http: { unwrap: rejectUnsuccessful, problemsOf: ({ text }) => problemsIn(jsonIn(text)) },
  versionProblem: (version) =>
    typeof version === 'string' && /^\d{1,3}\.\d$/.test(version)
      ? undefined
      : 'must be a version such as 60.0: it is always pinned',
  pathPrefix: (version) => `services/data/v${version}/`,
  endpoints: () => ({}),
  keyField: () => undefined,
  referenceField: () => undefined,
  createHeaders: () => ({}),
  matchPhone: (object, phone) =>
    (object === 'Contact' ? ['Phone', 'MobilePhone'] : ['Phone']).map((field) => ({
      field,
      operator: '=',
      value: phone,
    })),
  phonesRead: () => [],
  searchFurther: () => [],
  hiddenField: () => undefined,
  searchDelayMs: 0,
  mostRows: 200,
  isMinimal: true,
  changesTasks: false,
  canceledEvent: undefined,
  nextPage: () => undefined,
  composite: undefined,
  refusesComposite: undefined,
  batch: undefined,
  upsert: () => ({}),
  links: () => [],
  hasOwnFields: () => true,
  labels: () => undefined,
  leavesOut: () => [],
  lookUp: () => 'search',
  leadWithTask: false,
  caseNote: (ParentId, CommentBody) => ({
    object: 'CaseComment',
    fields: { ParentId, CommentBody, IsPublished: false },
    findBy: { caseId: 'ParentId', body: 'CommentBody' },
  }),
};
