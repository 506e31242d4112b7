import type { CrmObject, customObject, FieldKind, otherParents, standardObjects, systemFields } from './objects.ts';
import type { FieldPath, Where } from './where.ts';

/**
 * Any field of the org, standard or custom, such as `City` or `Region__c`: a text, a number, `true`, `false`, or `null` to
 * empty it. The CRM refuses those that it doesn't have.
 */
export interface AnyFields {
  readonly [field: string]: unknown;
}

/** A record of which no more is known than its id. */
export type AnyRecord = AnyFields & { readonly Id: string };

/** The table of the standard objects, as a type. */
type Objects = typeof standardObjects;

/** What a field of this kind holds. */
type ValueOf<Kind> = Kind extends 'count' | 'number' ? number : Kind extends 'boolean' ? boolean : string;

/** Fields by their kinds; `null` is an empty one. */
type Values<Kinds extends Readonly<Record<string, FieldKind>>> = {
  readonly [Name in keyof Kinds]?: ValueOf<Kinds[Name]> | null | undefined;
};

/** The fields of a standard object that can be written. */
export type StandardFields<Object extends CrmObject> = Values<Objects[Object]['fields']>;

/** All fields of a standard object, without its parents. */
type OwnValues<Object extends CrmObject> = StandardFields<Object> &
  Values<Objects[Object]['readOnly']> &
  Values<typeof systemFields>;

/** A parent as it's read with a record. */
type ParentRecord<Parent> = { readonly Id?: string | undefined } & (Parent extends CrmObject
  ? OwnValues<Parent>
  : Parent extends keyof typeof otherParents
    ? Values<(typeof otherParents)[Parent]>
    : never);

/** A record of a standard object as it's read: its id, its fields, and its parents where their fields were asked for. */
export type StandardRecord<Object extends CrmObject> = { readonly Id: string } & OwnValues<Object> & {
    readonly [Name in keyof Objects[Object]['parents']]?:
      | ParentRecord<Objects[Object]['parents'][Name]>
      | null
      | undefined;
  };

/** What is known of the fields of one of the org's own objects. */
export type CustomFields = Values<typeof customObject>;

/** What is known of a record of one of the org's own objects. */
export type CustomRecord = { readonly Id: string } & CustomFields & Values<typeof systemFields>;

/** What a lead is created with or changed to. Which fields the org requires is its own decision. */
export interface LeadFields extends StandardFields<'Lead'>, AnyFields {}

/** A person or company that may buy. A search gives the usual fields, and those that it names. */
export interface Lead extends StandardRecord<'Lead'>, AnyFields {}

/** What an activity such as a phone call is logged with. */
export interface TaskFields extends StandardFields<'Task'>, AnyFields {}

/** Something that was done or is to be done, such as a phone call. */
export interface Task extends StandardRecord<'Task'>, AnyFields {}

/** What an appointment is made with. */
export interface CrmEventFields extends StandardFields<'Event'>, AnyFields {}

/** An appointment in a calendar. */
export interface CrmEvent extends StandardRecord<'Event'>, AnyFields {}

/** What a contact is created with or changed to. */
export interface CrmContactFields extends StandardFields<'Contact'>, AnyFields {}

/** A person whom the org already does business with. */
export interface CrmContact extends StandardRecord<'Contact'>, AnyFields {}

/** What an account is created with or changed to. */
export interface AccountFields extends StandardFields<'Account'>, AnyFields {}

/** A company that the org does business with. */
export interface Account extends StandardRecord<'Account'>, AnyFields {}

/** What an opportunity is created with or changed to. */
export interface OpportunityFields extends StandardFields<'Opportunity'>, AnyFields {}

/** A deal in the making. */
export interface Opportunity extends StandardRecord<'Opportunity'>, AnyFields {}

/** What a case is opened with or changed to. */
export interface CaseFields extends StandardFields<'Case'>, AnyFields {}

/** A support issue. */
export interface Case extends StandardRecord<'Case'>, AnyFields {}

/**
 * What sales says about a lead afterwards, as words for `Status`. Orgs may use other words.
 *
 * @example
 * await crm.leads.update(leadId, { Status: leadDispositions.nurture });
 */
export const leadDispositions: {
  readonly converted: 'converted';
  readonly nurture: 'nurture';
  readonly disqualified: 'disqualified';
} = { converted: 'converted', nurture: 'nurture', disqualified: 'disqualified' };

/** One of {@link leadDispositions}. */
export type LeadDisposition = keyof typeof leadDispositions;

/** A record that was created. The API promises its id and nothing else. */
export interface CreatedRecord {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** A record that was created or changed. */
export interface UpsertedRecord extends CreatedRecord {
  /** `false`: it was there already, and was changed. */
  readonly created: boolean;
}

/** A lead and the Task about it, which are made together. */
export interface NewLeadWithTask<Lead = LeadFields, ATask = TaskFields> {
  readonly lead: Lead;
  /** Without `WhoId`, which will be the lead's. */
  readonly task: ATask;
  /** The idempotency keys of the two. */
  readonly keys: { readonly lead: string; readonly task: string };
}

/** What both are known by from now on. */
export interface CreatedLeadWithTask {
  readonly lead: CreatedRecord;
  readonly task: CreatedRecord;
}

/** What a search gives, and what else its rows must fulfil. */
export interface SearchOptions<Row> {
  /** Further conditions, besides those above. */
  readonly where?: Where<Row> | undefined;
  /**
   * How many rows at most; up to 200.
   * @defaultValue 1 for people, accounts, opportunities and cases, enough for a duplicate check; 200 for others
   */
  readonly limit?: number | undefined;
  /**
   * Fields to read in addition to the usual ones, such as `Rejection_Reason__c`, or those of a parent: `Owner.Name`. Each
   * must exist in the org.
   */
  readonly fields?: readonly FieldPath<Row>[] | undefined;
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

/** Rows whose e-mail or phone matches; at least one of the two, or `where`, must be given. */
export interface PersonSearch {
  readonly email?: string | undefined;
  /** E.164. Matched as text: a number that is stored in another format is not found. */
  readonly phone?: string | undefined;
}

/** Leads whose e-mail or phone matches. */
export interface LeadSearch extends PersonSearch {
  /** Only those that have become contacts, or, with `false`, only those that are still open. @defaultValue both */
  readonly isConverted?: boolean | undefined;
}

/** Accounts whose name or phone matches; at least one of the two, or `where`, must be given. */
export interface AccountSearch {
  readonly name?: string | undefined;
  /** E.164. Matched as text. */
  readonly phone?: string | undefined;
}

/** Opportunities that match everything given; `accountId` or `where` must be given. */
export interface OpportunitySearch {
  readonly accountId?: string | undefined;
  /** Only those that are closed, or only those that are not. @defaultValue both */
  readonly isClosed?: boolean | undefined;
}

/** Cases that match everything given; one of `contactId`, `accountId`, `caseNumber` and `where` must be given. */
export interface CaseSearch {
  readonly contactId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly caseNumber?: string | undefined;
  /** Only those that are closed, or only those that are not. @defaultValue both */
  readonly isClosed?: boolean | undefined;
}

/** Tasks that match everything given; one of `whoId`, `whatId`, `ownerId` and `where` must be given. */
export interface TaskSearch {
  /** The lead or contact that they relate to. */
  readonly whoId?: string | undefined;
  /** The opportunity, or another record, that they relate to. */
  readonly whatId?: string | undefined;
  readonly ownerId?: string | undefined;
  /** Only those that are done, or only those that are not. @defaultValue both */
  readonly isClosed?: boolean | undefined;
}

/** Appointments that match everything given, the earliest first; one of the fields below, or `where`, must be given. */
export interface EventSearch {
  /** Whose calendar: a user, or a public calendar. */
  readonly ownerId?: string | undefined;
  /** The lead or contact that they relate to. */
  readonly whoId?: string | undefined;
  /** The opportunity, or another record, that they relate to. */
  readonly whatId?: string | undefined;
  /** Only those that end after this moment: a date and time with its zone, such as 2026-11-23T09:00:00Z. */
  readonly from?: string | undefined;
  /** Only those that start before this moment. With `from`, these are all that take any of the time between. */
  readonly to?: string | undefined;
}
