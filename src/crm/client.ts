import type { ApiConnection } from '../api/api-client.ts';
import type { ConnectionOptions, RequestOptions } from '../http/operation.ts';
import type { AccountSearch } from './accounts.ts';
import type { CrmBatch } from './batch.ts';
import type { CaseSearch } from './cases.ts';
import type { CompositeParts, CompositeResult } from './composite.ts';
import type { PersonSearch } from './contacts.ts';
import type { CrmSchemas, FieldsFor, RecordFor } from './declared.ts';
import type { CrmDialect } from './dialect.ts';
import type { EventSearch } from './events.ts';
import type { CreatedLeadWithTask, LeadSearch, NewLeadWithTask } from './leads.ts';
import type { OpportunitySearch } from './opportunities.ts';
import type { CrmQuery } from './query-pages.ts';
import type { RecordClient } from './records.ts';
import type { TaskSearch } from './tasks.ts';

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
