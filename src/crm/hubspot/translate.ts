import { isDate } from '../../core/arguments.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import type { LocalClock } from '../../core/local-clock.ts';
import { oneOf } from '../../core/option-checks.ts';
import { bareDigits } from '../../phone/forms.ts';
import { fieldsOf } from '../../stores/ports/json.ts';
import type { AnyFields } from '../object-table.ts';
import { isStandard } from '../objects.ts';
import {
  type Comparing,
  type Comparison,
  type Condition,
  type ListComparison,
  mapComparisons,
  operators,
  type QueryValue,
  type RowQuery,
} from '../where.ts';
import { associatedBy, associationsOf, isAssociation } from './associations.ts';
import { toFilterGroups } from './filters.ts';
import { fromProperty, isMomentOfDay, type PropertyNames, propertyOf, toProperty, toWritten } from './properties.ts';
import type { HubSpotPaths } from './versions.ts';

/** The names of one account's objects. */
export interface Words {
  readonly paths: HubSpotPaths;
  /** The time zone of the business. */
  readonly clock: LocalClock;
  /** HubSpot's name of an object. */
  readonly typeOf: (object: string) => string;
  readonly namesOf: (object: string) => PropertyNames;
  readonly leadStages: readonly string[];
}

/** The written fields of a record, as HubSpot's properties. */
export const toProperties = (object: string, fields: AnyFields, words: Words): Readonly<Record<string, string>> => {
  const names = words.namesOf(object);
  const type = words.typeOf(object);
  const written = Object.entries(fields).flatMap(([field, value]): readonly (readonly [string, string])[] => {
    if (value === undefined || isAssociation(type, field)) return [];
    if (object === 'Lead' && field === 'Status') return Object.entries(statusProperties(value, words.leadStages));
    if (object === 'Event' && field === 'DurationInMinutes') return endOf(fields);
    const property = propertyOf(names, field);
    // A call of HubSpot comes in or goes out.
    const isLeftOut = property === undefined || (property === 'hs_call_direction' && value === 'Internal');
    if (isLeftOut) return [];
    const text = toWritten(property, value, words.clock);
    // A meeting's place on the timeline follows its start only while it's empty.
    const isStart = object === 'Event' && field === 'StartDateTime' && text !== '';
    return [[property, text], ...(isStart ? ([['hs_timestamp', text]] as const) : [])];
  });
  return Object.fromEntries(written);
};

const endOf = ({ StartDateTime: start, DurationInMinutes: minutes }: AnyFields): readonly [string, string][] => {
  if (typeof start !== 'string' || typeof minutes !== 'number')
    throw new InvalidArgumentError(
      'DurationInMinutes',
      'needs StartDateTime, since HubSpot keeps the end of a meeting',
    );
  return [['hs_meeting_end_time', new Date(Date.parse(start) + minutes * 60_000).toISOString()]];
};

/** A new record with its associations: one request. */
export const toNewRecord = (object: string, fields: AnyFields, words: Words & { readonly now?: string }): object => {
  const type = words.typeOf(object);
  const properties = { ...defaultsOf(object, type, fields, words), ...toProperties(object, fields, words) };
  return { properties, associations: associationsOf(type, fields) };
};

const defaultsOf = (
  object: string,
  type: string,
  fields: AnyFields,
  { leadStages, now = new Date().toISOString() }: Words & { readonly now?: string },
): Readonly<Record<string, string>> => {
  if (object === 'Lead') return { lifecyclestage: leadStages.includes('lead') ? 'lead' : (leadStages[0] ?? 'lead') };
  if (!activities.includes(type)) return {};
  const { StartDateTime: start } = fields;
  return { hs_timestamp: typeof start === 'string' ? start : now };
};

/** The objects that happen at some time, which HubSpot wants to know. */
const activities: readonly string[] = ['calls', 'emails', 'meetings', 'notes', 'tasks'];

/** The properties that are asked for. */
export const toPropertyList = (object: string, fields: readonly string[], words: Words): readonly string[] => {
  const names = words.namesOf(object);
  const wanted = fields.flatMap((field) => {
    if (field.includes('.'))
      throw new InvalidArgumentError(
        field,
        'is a field of a parent: HubSpot reads one record, so get that one by its id',
      );
    const property = propertyOf(names, field);
    // What a record leads to is no property, unless it's kept as one too.
    const isLink = property === field && isAssociation(words.typeOf(object), field);
    return property === undefined || isLink || (property === field && derived.includes(field)) ? [] : [property];
  });
  const more: Readonly<Record<string, readonly string[]>> = {
    Lead: ['lifecyclestage', 'hs_lead_status'],
    Contact: ['lifecyclestage'],
    Case: ['closed_date'],
    Task: ['hs_task_status'],
    Event: ['hs_meeting_outcome'],
  };
  return [...new Set([...wanted, ...(more[object] ?? [])])];
};

/** The fields of a record that's read without naming any. */
export const usualFields = (object: string, words: Words): readonly string[] => [
  ...Object.keys(words.namesOf(object)),
  ...(isStandard(object) ? [] : (usualProperties[object] ?? [])),
];

const usualProperties: Readonly<Record<string, readonly string[]>> = {
  notes: ['hs_note_body', 'hs_timestamp'],
  calls: ['hs_call_title', 'hs_call_body', 'hs_call_direction', 'hs_call_duration', 'hs_call_status', 'hs_timestamp'],
};

/** Read from other properties. */
const derived = ['IsConverted', 'ConvertedContactId', 'ConvertedAccountId', 'ConvertedOpportunityId', 'Name'];

/** A record of HubSpot as the client's; anything else as it is. */
export const toRecord = (object: string, json: unknown, words: Words): unknown => {
  if (!isFields(json)) return json;
  const { id, properties, associations } = json;
  if ((typeof id !== 'string' && typeof id !== 'number') || !isFields(properties)) return json;
  const Id = String(id);
  const names = words.namesOf(object);
  const fields = new Map(Object.entries(names).flatMap(([field, name]) => (name === null ? [] : [[name, field]])));
  const own = Object.entries(properties).map(([property, value]) => {
    const field = property === 'hs_object_id' ? 'Id' : (fields.get(property) ?? property);
    return [field, fromProperty(object, field, property, value, words.clock)];
  });
  return {
    ...Object.fromEntries(own),
    ...linksIn(words.typeOf(object), associations),
    ...specialFields(object, Id, properties, words),
    Id,
  };
};

const specialFields = (object: string, Id: string, properties: AnyFields, { leadStages }: Words): AnyFields => {
  if (object === 'Lead') return leadFields({ Id }, properties, leadStages);
  if (object === 'Case') return { CaseNumber: Id, IsClosed: Boolean(properties['closed_date']) };
  return object === 'Task' ? { IsClosed: properties['hs_task_status'] === 'COMPLETED' } : {};
};

const linksIn = (type: string, associations: unknown): AnyFields => {
  if (!isFields(associations)) return {};
  const found = Object.entries(linkFields(type)).flatMap(([field, to]) => {
    const list = isFields(associations[to]) ? associations[to]['results'] : undefined;
    const ids = (Array.isArray(list) ? list : []).flatMap((one: unknown) => (isFields(one) ? [String(one['id'])] : []));
    const all = field === 'ContactId' && ids.length > 1 ? [['ContactIds', ids]] : [];
    return ids.length > 0 ? [[field, ids[0]], ...all] : [];
  });
  return Object.fromEntries(found);
};

/** The fields of an object that lead to others, and the name of those. */
const linkFields = (type: string): Readonly<Record<string, string>> => {
  const isActivity = activities.includes(type);
  if (isActivity) return { AccountId: 'companies', WhoId: 'contacts', WhatId: 'deals' };
  return type === 'tickets' ? { AccountId: 'companies', ContactId: 'contacts' } : {};
};

/** The associations that are read with one record. */
export const linkedTypes = (type: string): readonly string[] | undefined => {
  const linked = Object.values(linkFields(type));
  return linked.length > 0 ? linked : undefined;
};

const isFields = (value: unknown): value is AnyFields => typeof value === 'object' && value !== null;

/** The rows of a search: people are leads or contacts by their stage, and a meeting that was canceled is none. */
export const toRows = (object: string, json: unknown, words: Words): unknown => {
  if (!isFields(json) || !Array.isArray(json['results'])) return json;
  const rows = json['results'].filter((row: unknown) => {
    const { lifecyclestage: stage, hs_meeting_outcome: outcome } = fieldsOf(fieldsOf(row)['properties']);
    return object === 'Event' ? outcome !== 'CANCELED' : object !== 'Contact' || !isLead(stage, words.leadStages);
  });
  return { ...json, results: rows.map((row: unknown) => toRecord(object, row, words)) };
};

/** HubSpot's most in one answer. */
const mostInPage = 200;

/** The body of a search. Throws `InvalidArgumentError` for what HubSpot can't search for. */
export const toSearch = (
  object: string,
  { select, where, orderBy = [] }: RowQuery,
  limit: number,
  words: Words,
): object => {
  const type = words.typeOf(object);
  const names = words.namesOf(object);
  const property = (field: string): string => {
    if (field.includes('.'))
      throw new InvalidArgumentError(field, 'is a field of a parent, by which HubSpot can’t search');
    if (isAssociation(type, field)) return `associations.${associatedBy[field] ?? ''}`;
    const name = propertyOf(names, field);
    if (name === undefined) throw new InvalidArgumentError(field, 'is no property of HubSpot');
    return name;
  };
  const order = orderBy.find(({ field }) => !derived.includes(field));
  const body = {
    filterGroups: toFilterGroups(conditionOf(object, where, words), {
      propertyOf: property,
      write: (name: string, value: QueryValue) => toProperty(name, value),
    }),
    sorts: order && [
      { propertyName: property(order.field), direction: order.direction === 'desc' ? 'DESCENDING' : 'ASCENDING' },
    ],
    properties: toPropertyList(object, select, words),
    // Leads are among the people, and are taken out of what is found.
    limit: Math.min(object === 'Contact' ? Math.max(limit, 100) : limit, mostInPage),
  };
  if (JSON.stringify(body.filterGroups).length > mostCharacters)
    throw new InvalidArgumentError('where', `must be shorter: HubSpot takes ${mostCharacters} characters`);
  return body;
};

/** HubSpot's most in one search. */
const mostCharacters = 3000;

const conditionOf = (object: string, where: Condition | undefined, words: Words): Condition | undefined => {
  const rewritten = where && mapComparisons(where, (one) => rewrite(object, one, words));
  if (object !== 'Lead' || (where && JSON.stringify(where).includes('"IsConverted"'))) return rewritten;
  const stages: Condition = { field: 'lifecyclestage', operator: 'in', value: words.leadStages };
  return rewritten ? { all: [rewritten, stages] } : stages;
};

/** A comparison of a field that HubSpot keeps in another way. */
const rewrite = (object: string, condition: Comparing, words: Words): Condition => {
  const { field, operator, value } = condition;
  oneOf(operator, 'operator', operators)();
  const searchable = isStandard(object) ? phoneProperties[field] : undefined;
  if (searchable !== undefined && operator === '=' && typeof value === 'string')
    return { field: searchable, operator: 'in', value: bareDigits(value) };
  if (typeof value === 'string' && isDate(value) && isMomentOfDay(propertyOf(words.namesOf(object), field) ?? ''))
    return onDay(field, operator, value, words.clock);
  const holds = operator === '=' ? value === true : value !== true;
  if (object === 'Lead' && field === 'IsConverted')
    return { field: 'lifecyclestage', operator: holds ? 'not in' : 'in', value: words.leadStages };
  if (object === 'Lead' && field === 'Status' && operator === '=' && typeof value === 'string') {
    const [status] = Object.entries(statusProperties(value, words.leadStages));
    return status ? { field: status[0], operator, value: status[1] } : condition;
  }
  if (object === 'Case' && field === 'IsClosed')
    return { field: 'ClosedDate', operator: holds ? '!=' : '=', value: null };
  if (object === 'Task' && field === 'IsClosed')
    return { field: 'Status', operator: holds ? '=' : '!=', value: 'COMPLETED' };
  return condition;
};

/** A comparison with a day, of a property that is a moment: the day begins and ends where the business is. */
const onDay = (field: string, operator: Comparison | ListComparison, day: string, clock: LocalClock): Condition => {
  // Where clocks go forward at midnight, the day begins an hour later.
  const first = clock.instantOf(day, 0) ?? clock.instantOf(day, 60) ?? new Date(day);
  const after = clock.instantOf(dayAfter(day), 0) ?? clock.instantOf(dayAfter(day), 60) ?? new Date(dayAfter(day));
  const is = (compared: Comparison, value: Date): Condition => ({ field, operator: compared, value });
  if (operator === '=') return { all: [is('>=', first), is('<', after)] };
  if (operator === '!=') return { any: [is('<', first), is('>=', after)] };
  return operator === '<' || operator === '>=' ? is(operator, first) : is(operator === '<=' ? '<' : '>=', after);
};

const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

/** HubSpot compares numbers without punctuation and without a country code. */
const phoneProperties: Readonly<Record<string, string>> = {
  Phone: 'hs_searchable_calculated_phone_number',
  MobilePhone: 'hs_searchable_calculated_mobile_number',
};

/** HubSpot's words for a lead that sales has given up, and for one that must wait; both ways. */
const statusWords: Readonly<Record<string, string>> = { disqualified: 'UNQUALIFIED', nurture: 'BAD_TIMING' };

/** Stages that are no leads' any more, by their internal names. */
const laterStages = ['opportunity', 'customer', 'evangelist', 'other'];

/** The stages that a person has before they're a contact of the client. */
export const usualLeadStages: readonly string[] = [
  'subscriber',
  'lead',
  'marketingqualifiedlead',
  'salesqualifiedlead',
];

/** The properties of a lead's status: a lifecycle stage, or HubSpot's status of leads. */
const statusProperties = (word: unknown, leadStages: readonly string[]): Readonly<Record<string, string>> => {
  if (typeof word !== 'string') return { hs_lead_status: '' };
  if (word === 'converted') return { lifecyclestage: 'opportunity' };
  if (leadStages.includes(word) || laterStages.includes(word)) return { lifecyclestage: word };
  return { hs_lead_status: Object.hasOwn(statusWords, word) ? (statusWords[word] ?? '') : word };
};

/** The client's fields of a person's stage and status. */
const leadFields = (
  { Id }: { readonly Id: string },
  { lifecyclestage: stage, hs_lead_status: status }: AnyFields,
  leadStages: readonly string[],
): AnyFields => {
  const isConverted = !isLead(stage, leadStages);
  const [known] = Object.entries(statusWords).find(([, word]) => word === status) ?? [];
  return {
    Status: known ?? (status || stage || null),
    IsConverted: isConverted,
    ConvertedContactId: isConverted ? Id : null,
    ConvertedOpportunityId: null,
  };
};

/** Returns whether a person of this stage is a lead. One without a stage is a contact. */
const isLead = (stage: unknown, leadStages: readonly string[]): boolean =>
  typeof stage === 'string' && leadStages.includes(stage);
