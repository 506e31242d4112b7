import type { ApiConnection } from '../api/api-client.ts';
import type { ConnectionOptions, RequestOptions } from '../http/operation.ts';
import type { RecordList } from '../core/schema.ts';
import type { BatchItem } from './batch-parts.ts';
import type { CompositeParts, CompositeResult } from './composite-parts.ts';
import type { CrmSchemas, FieldsFor, RecordFor } from './declared.ts';
import type { CrmDialect } from './dialect.ts';
import type { AccountSearch } from './accounts.ts';
import type { CaseSearch } from './cases.ts';
import type { PersonSearch } from './contacts.ts';
import type { EventSearch } from './events.ts';
import type { CreatedLeadWithTask, LeadSearch, NewLeadWithTask } from './leads.ts';
import type { CreatedRecord } from './object-table.ts';
import type { OpportunitySearch } from './opportunities.ts';
import type { QueryOptions, UpsertedRecord } from './records.ts';
import type { SearchOptions } from './search-query.ts';
import type { TaskSearch } from './tasks.ts';
import type { ExternalId, FieldPath } from './where.ts';
import type { WriteRules } from './write-rules.ts';

/** How to reach an org of the CRM. */
export interface CrmOptions<Schemas extends CrmSchemas = CrmSchemas> extends ConnectionOptions {
  /** The pinned version of the API: `60.0` gives `/services/data/v60.0/`. */
  readonly version: string;
  /**
   * The org's own fields, by object, each a Standard Schema with optional fields. With it they are typed and checked in
   * records, writes and queries of that object, and an undeclared one is refused. @defaultValue any field is taken
   *
   * @example
   * fields: { Lead: z.object({ Region__c: z.enum(['EMEA', 'APAC']) }).partial() },
   */
  readonly fields?: Schemas | undefined;
  /** The time zone of the business, as an IANA name: a moment in a field for a day is the day there. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined;
  /**
   * What a real CRM spells otherwise than the default API. A preset such as `salesforce()` of
   * `voice-agent-integrations/crm/salesforce` brings one along. @defaultValue the default API's
   */
  readonly dialect?: Partial<CrmDialect> | undefined;
}

/** How one record is read. */
export interface GetOptions<Path extends string = string> extends RequestOptions {
  /** The fields to read, also of parents: `Owner.Name`. Each must exist in the org. @defaultValue all of the record's own */
  readonly fields?: readonly Path[] | undefined;
}

/** How one record is written, and what the org's rules do about it. */
export interface WriteOptions extends RequestOptions, WriteRules {}

/** The operations on the records of one object. */
export interface RecordClient<Fields, Row, By = unknown> {
  /** The record with this id, `undefined` when there is none. */
  get(id: string, options?: GetOptions<FieldPath<Row>>): Promise<Row | undefined>;
  /** The API gives the id of the new record and no more. The org's assignment rules may change its owner. */
  create(fields: Fields, call?: WriteOptions): Promise<CreatedRecord>;
  /** Needs at least one field; what is left out stays as it is, and `null` empties a field. */
  update(id: string, fields: Fields, call?: WriteOptions): Promise<{ readonly id: string }>;
  /**
   * Changes the record that has this value in an external id field of yours, and else creates it. Repeating it makes no
   * second one. `fields` don't have that field. Path of Salesforce.
   */
  upsert(by: ExternalId<Fields>, fields: Fields, call?: WriteOptions): Promise<UpsertedRecord>;
  /** Throws a `ClientError` with status 404 when there is none with this id. */
  delete(id: string, call?: RequestOptions): Promise<void>;
  /** The records that match everything given, but of an e-mail, a phone and a name one is enough. */
  search(by: By & SearchOptions<Row>, call?: RequestOptions): Promise<RecordList<Row>>;
  /**
   * The same without a limit, page after page; what `call` says holds for each page. Where the API has no pages, it
   * gives as many as one answer may hold.
   */
  searchAll(by: By & Omit<SearchOptions<Row>, 'limit'>, call?: RequestOptions): AsyncIterable<Row>;
}

/**
 * The rows of a query. `await` gives the first page; `for await` gives all rows, and reads further pages as it gets to
 * them, at most ten a second.
 */
export interface QueryPages<Row> extends Promise<RecordList<Row>>, AsyncIterable<Row> {}

/** Reads the rows of an object, typed as its records are. */
export interface CrmQuery<Schemas> {
  <Object extends string>(
    object: Object,
    options: QueryOptions<RecordFor<Schemas, Object>>,
    call?: RequestOptions,
  ): QueryPages<RecordFor<Schemas, Object>>;
}

/**
 * Up to 100 records of one object in one request. Each is done or refused by itself, and the answer is in your order.
 * Throws `InvalidArgumentError` where the API has no such request.
 */
export interface CrmBatch<Schemas> {
  get<Object extends string>(
    object: Object,
    ids: readonly string[],
    options?: GetOptions<FieldPath<RecordFor<Schemas, Object>>>,
  ): Promise<readonly BatchItem<RecordFor<Schemas, Object>>[]>;
  /** Isn't sent again after an unknown end. No `id`: the answer leaves open which record is which. */
  create<Object extends string>(
    object: Object,
    records: readonly FieldsFor<Schemas, Object>[],
    call?: RequestOptions,
  ): Promise<readonly BatchItem<{ readonly id: string | undefined }>[]>;
  update<Object extends string>(
    object: Object,
    records: readonly { readonly id: string; readonly fields: FieldsFor<Schemas, Object> }[],
    call?: RequestOptions,
  ): Promise<readonly BatchItem<{ readonly id: string }>[]>;
  /** As `upsert` does with one: repeating it makes no second record. */
  upsert<Object extends string>(
    object: Object,
    records: readonly {
      readonly by: ExternalId<FieldsFor<Schemas, Object>>;
      readonly fields: FieldsFor<Schemas, Object>;
    }[],
    call?: RequestOptions,
  ): Promise<readonly BatchItem<{ readonly id: string | undefined; readonly created: boolean }>[]>;
}

/** The operations on one object, typed by what was declared of it. */
type ObjectClient<Schemas, Object extends string, By = unknown> = RecordClient<
  FieldsFor<Schemas, Object>,
  RecordFor<Schemas, Object>,
  By
>;

/** Reads and writes the records of one org. The default API has three of these endpoints; the others are the real CRM's. */
export interface CrmClient<Schemas extends CrmSchemas = CrmSchemas> extends ApiConnection {
  /** A search gives those that aren't converted first, then the most recently changed. */
  readonly leads: ObjectClient<Schemas, 'Lead', LeadSearch> & {
    /**
     * A lead and the Task about it in one request: both are made, or neither. `undefined` where the API has no such
     * request. The keys are those of the two records. Source: the composite resource of Salesforce.
     */
    readonly createWithTask?:
      | ((
          both: NewLeadWithTask<FieldsFor<Schemas, 'Lead'>, FieldsFor<Schemas, 'Task'>>,
          call?: RequestOptions,
        ) => Promise<CreatedLeadWithTask>)
      | undefined;
  };
  /** Activities, such as phone calls. A phone call's `logCall` writes one Task per call. */
  readonly tasks: ObjectClient<Schemas, 'Task', TaskSearch> & {
    /** The CRM can change a Task, as its dialect says. Otherwise a phone call writes its one Task when it's finished. */
    readonly canUpdate: boolean;
    /** A Task whose end isn't known is looked up by its idempotency key before it's sent again. */
    readonly canLookUp: boolean;
  };
  /** Appointments. A search gives the earliest first. */
  readonly events: ObjectClient<Schemas, 'Event', EventSearch>;
  /** A search gives those with this e-mail, phone or mobile phone, the most recently changed first. */
  readonly contacts: ObjectClient<Schemas, 'Contact', PersonSearch>;
  /** A search gives those with this name or phone, the most recently changed first. */
  readonly accounts: ObjectClient<Schemas, 'Account', AccountSearch>;
  /** A search gives those of an account, the most recently changed first. */
  readonly opportunities: ObjectClient<Schemas, 'Opportunity', OpportunitySearch>;
  /** A search gives the most recently changed first. */
  readonly cases: ObjectClient<Schemas, 'Case', CaseSearch>;
  /**
   * The same operations on any other object, by its API name. A search takes `where`.
   * Throws `InvalidArgumentError` for what can't be a name.
   *
   * @example
   * const asset = await crm.records('Asset__c').get(id, { fields: ['Name', 'Contact__r.Name'] });
   */
  records<Object extends string>(object: Object): ObjectClient<Schemas, Object>;
  /**
   * The rows of any object: the fields that you name, in your order.
   *
   * @example
   * const recent = crm.query('Lead', { fields: ['Name', 'Owner.Name'], where: where('City', '=', city), limit: 500 });
   * for await (const lead of recent) console.log(lead.Name, lead.Owner?.Name);
   */
  readonly query: CrmQuery<Schemas>;
  /**
   * Several writes in one request: all of them are done, or none. `idOf` is the id of what an earlier part makes. It's
   * sent again after an unknown end only when each part is an upsert or an update. A part may have rules of its own
   * (`duplicateRule`, `assignmentRule`). Path of Salesforce.
   * Throws what the part that failed was refused with.
   *
   * @example
   * const { contact } = await crm.composite({
   *   account: { create: 'Account', fields: { Name: 'Northwind' } },
   *   contact: { create: 'Contact', fields: { LastName: 'Okafor', AccountId: idOf('account') } },
   * });
   */
  composite<const Objects extends Readonly<Record<string, string>>>(
    parts: CompositeParts<Schemas, Objects>,
    call?: RequestOptions,
  ): Promise<CompositeResult<Objects>>;
  /**
   * Many records in one request, where the API has one. Path of HubSpot.
   *
   * @example
   * const items = await crm.batch.update('Contact', [{ id: '101', fields: { MailingCity: 'Turin' } }]);
   * const refused = items.filter(({ status }) => status !== 'done');
   */
  readonly batch: CrmBatch<Schemas>;
}
