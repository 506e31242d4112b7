import { isDate } from '../../core/arguments.ts';
import { htmlToText, textToHtml } from '../../core/html.ts';
import type { LocalClock } from '../../core/local-clock.ts';
import { type CrmObject, isStandard, kindOf } from '../objects.ts';

/** The names of HubSpot's objects, as its paths have them. */
const objectTypes: Readonly<Record<CrmObject, string>> = {
  Lead: 'contacts',
  Contact: 'contacts',
  Account: 'companies',
  Opportunity: 'deals',
  Case: 'tickets',
  Task: 'tasks',
  Event: 'meetings',
};

/** A client's fields by HubSpot's properties. `null`: HubSpot has none, and the field isn't sent. */
export type PropertyNames = Readonly<Record<string, string | null>>;

const address = { Street: 'address', City: 'city', State: 'state', PostalCode: 'zip', Country: 'country' } as const;

/** The same address under a prefix: `MailingCity`. */
const prefixed = (prefix: string): PropertyNames =>
  Object.fromEntries(Object.entries(address).map(([field, property]) => [prefix + field, property]));

const person: PropertyNames = {
  Salutation: 'salutation',
  FirstName: 'firstname',
  LastName: 'lastname',
  Email: 'email',
  Phone: 'phone',
  MobilePhone: 'mobilephone',
  Title: 'jobtitle',
  Description: 'message',
  // Read-only: https://knowledge.hubspot.com/properties/hubspots-default-contact-properties (2026-11-27).
  HasOptedOutOfEmail: 'hs_email_optout',
  LeadSource: null,
};

const everyObject: PropertyNames = { OwnerId: 'hubspot_owner_id', CreatedDate: 'createdate', Id: 'hs_object_id' };

const activity: PropertyNames = {
  ...everyObject,
  CreatedDate: 'hs_createdate',
  LastModifiedDate: 'hs_lastmodifieddate',
};

const task: PropertyNames = {
  ...activity,
  Subject: 'hs_task_subject',
  Description: 'hs_task_body',
  Status: 'hs_task_status',
  Priority: 'hs_task_priority',
  Type: 'hs_task_type',
  ActivityDate: 'hs_timestamp',
  // A task of HubSpot has no place for them.
  CallType: null,
  CallDurationInSeconds: null,
  CallObject: null,
};

/** A call of HubSpot in the place of a task. */
export const callNames: PropertyNames = {
  ...activity,
  Subject: 'hs_call_title',
  Description: 'hs_call_body',
  Status: 'hs_call_status',
  CallType: 'hs_call_direction',
  CallDurationInSeconds: 'hs_call_duration',
  CallDisposition: 'hs_call_disposition',
  CallObject: 'hs_call_external_id',
  ActivityDate: 'hs_timestamp',
};

/** One table for both directions. What isn't in it passes through under its own name. */
export const propertyNames: Readonly<Record<CrmObject, PropertyNames>> = {
  Lead: {
    ...everyObject,
    ...person,
    ...address,
    Company: 'company',
    Website: 'website',
    Industry: 'industry',
    AnnualRevenue: 'annualrevenue',
    Status: 'hs_lead_status',
    LastModifiedDate: 'lastmodifieddate',
  },
  Contact: {
    ...everyObject,
    ...person,
    ...prefixed('Mailing'),
    Birthdate: 'date_of_birth',
    AccountId: 'associatedcompanyid',
    LastModifiedDate: 'lastmodifieddate',
  },
  Account: {
    ...everyObject,
    ...prefixed('Billing'),
    Name: 'name',
    Phone: 'phone',
    Website: 'website',
    Industry: 'industry',
    Type: 'type',
    NumberOfEmployees: 'numberofemployees',
    AnnualRevenue: 'annualrevenue',
    Description: 'description',
    LastModifiedDate: 'hs_lastmodifieddate',
  },
  Opportunity: {
    ...everyObject,
    Name: 'dealname',
    StageName: 'dealstage',
    CloseDate: 'closedate',
    Amount: 'amount',
    Type: 'dealtype',
    NextStep: 'hs_next_step',
    Description: 'description',
    AccountId: 'hs_primary_associated_company',
    IsClosed: 'hs_is_closed',
    IsWon: 'hs_is_closed_won',
    LastModifiedDate: 'hs_lastmodifieddate',
  },
  Case: {
    ...everyObject,
    CaseNumber: 'hs_object_id',
    Subject: 'subject',
    Description: 'content',
    Status: 'hs_pipeline_stage',
    Priority: 'hs_ticket_priority',
    Type: 'hs_ticket_category',
    Origin: 'source_type',
    ClosedDate: 'closed_date',
    LastModifiedDate: 'hs_lastmodifieddate',
  },
  Task: task,
  Event: {
    ...activity,
    Subject: 'hs_meeting_title',
    Description: 'hs_meeting_body',
    Location: 'hs_meeting_location',
    StartDateTime: 'hs_meeting_start_time',
    EndDateTime: 'hs_meeting_end_time',
    ShowAs: null,
  },
};

/** Any other object of HubSpot has its own names, and those that all objects share. */
export const otherNames: PropertyNames = activity;

/** HubSpot's words for what is chosen from a list are in capitals: `Not Started` is `NOT_STARTED`. */
const choices = [
  'hs_task_status',
  'hs_task_priority',
  'hs_task_type',
  'hs_call_status',
  'hs_call_direction',
  'hs_ticket_priority',
  'source_type',
];

/** Further properties whose values are chosen from a list, by internal names that have capitals. */
const enumerations = [
  ...choices,
  'lifecyclestage',
  'hs_lead_status',
  'hs_pipeline',
  'hs_pipeline_stage',
  'pipeline',
  'dealstage',
  'dealtype',
  'hs_ticket_category',
  'hs_meeting_outcome',
  'type',
];

/**
 * The spellings of a value in a list that is searched for. `IN` and `NOT_IN` want texts in small letters and compare
 * exactly, while choices keep their case: https://developers.hubspot.com/docs/api-reference/latest/crm/search-the-crm
 * (2026-10). What an account's own property is isn't known, and such a value is asked for in both.
 */
export const listSpellings = (property: string, value: string): readonly string[] => {
  const small = value.toLowerCase();
  if (small === value || enumerations.includes(property) || /^\d{4}-\d\d-\d\d/.test(value)) return [value];
  return texts.includes(property) ? [small] : [value, small];
};

const texts: readonly string[] = [
  ...Object.values({ ...person, ...address }).filter((property) => property !== null),
  'company',
  'website',
  'name',
  'description',
  'dealname',
  'hs_next_step',
  'subject',
  'content',
  'hs_task_subject',
  'hs_call_title',
  'hs_meeting_title',
  'hs_meeting_location',
];

/**
 * Properties that HubSpot shows as HTML: the body of a note by its guide
 * (https://developers.hubspot.com/docs/api-reference/latest/crm/activities/notes/guide, 2026-11-26), and those that people
 * write in the same editor.
 */
const richTexts: readonly string[] = [
  'hs_note_body',
  'hs_task_body',
  'hs_call_body',
  'hs_meeting_body',
  'hs_internal_meeting_notes',
];

/** Properties that are moments in HubSpot and days of the client. */
export const isMomentOfDay = (property: string): boolean => property === 'hs_timestamp' || property === 'closedate';

/** The written value of a field: the same words, without markup. A day is noon where the business is. */
export const toWritten = (property: string, value: unknown, clock: LocalClock): string => {
  const text = toProperty(property, value);
  if (isMomentOfDay(property) && isDate(text)) return clock.instantOf(text, noon)?.toISOString() ?? text;
  return richTexts.includes(property) ? textToHtml(text) : text;
};

const noon = 12 * 60;

/** A value as a property of HubSpot, which are all texts; an empty one clears. */
export const toProperty = (property: string, value: unknown): string => {
  if (value === null || value === undefined) return '';
  const plain = value instanceof Date ? value.toISOString() : value;
  const text = typeof plain === 'string' ? plain : JSON.stringify(plain);
  if (property === 'hs_call_duration') return String(Number(value) * 1000);
  return choices.includes(property) ? text.toUpperCase().replaceAll(/[\s-]+/g, '_') : text;
};

/** A property of HubSpot as the value of a field. */
export const fromProperty = (
  object: string,
  field: string,
  property: string,
  value: unknown,
  clock: LocalClock,
): unknown => {
  if (typeof value !== 'string') return value ?? null;
  if (value === '') return null;
  if (property === 'hs_call_duration') return Math.round(Number(value) / 1000);
  if (richTexts.includes(property)) return htmlToText(value);
  switch (kindOf(object, field)) {
    case 'number':
    case 'count':
      return Number.isFinite(Number(value)) ? Number(value) : null;
    case 'boolean':
      // A property of the account's own may have other words for yes.
      return !/^(?:false|no|0)$/i.test(value.trim());
    case 'date':
      return clock.dayOf(value) ?? value.slice(0, 10);
    default:
      return value;
  }
};

/** The property of a field; `undefined` where HubSpot has none. */
export const propertyOf = (names: PropertyNames, field: string): string | undefined =>
  Object.hasOwn(names, field) ? (names[field] ?? undefined) : field;

/** The object's path: a standard object has HubSpot's name, any other its own. */
export const typeOf = (object: string): string => (isStandard(object) ? objectTypes[object] : object);
