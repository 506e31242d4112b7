import { crmObjects, isQueryable, type ObjectShape } from '../contract/crm-objects.ts';
import { Refused } from '../refused.ts';
import type { CrmObject, CrmStore, FakeCrmRecord } from '../store/crm.ts';

/** Returns true for a standard object. */
const isStandard = (object: string): object is CrmObject => Object.hasOwn(crmObjects, object);

/** Returns true for an object that exists: a standard one, or one of the org's own: `Asset__c`. */
export const isObject = (name: string): boolean =>
  isStandard(name) || name === comments || /^[A-Za-z]\w*__c$/.test(name);

/** The comments on cases, which have no fields of the org's own. */
const comments = 'CaseComment';

/** The fields of an object. One of the org's own has a name, an owner, and any field of the org's own. */
export const shapeOf = (object: string): ObjectShape => {
  if (isStandard(object)) return crmObjects[object];
  if (object === comments) return commentShape;
  return { resource: `${object as 'Custom'}__c`, required: [], fields: named, readOnly: [], references: {} };
};

const commentShape: ObjectShape = {
  resource: 'CaseComment__c',
  required: ['ParentId'],
  fields: { ParentId: 'text', CommentBody: 'text', IsPublished: 'boolean' },
  readOnly: [],
  references: { ParentId: ['Case'] },
};

const named = {
  Name: 'text',
  OwnerId: 'text',
  Email: 'email',
  Phone: 'text',
  FirstName: 'text',
  LastName: 'text',
} as const;

/** The name that operations on an object begin with. */
export const resourceOf = (object: string) =>
  isStandard(object) ? crmObjects[object].resource : (`${object.replace(/__c$/, '')}__c` as const);

/** Returns true if a query may name the field, or the field of a parent. */
export const isQueryablePath = (object: string, path: string): boolean => {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return isQueryable(shapeOf(object), first);
  const parents = parentObjects(object, first);
  if (rest.length === 1 && ['Who', 'What'].includes(first) && parents.length > 0)
    return ['Id', 'Name', 'Type'].includes(rest[0] ?? '');
  return parents.some((parent) => isQueryablePath(parent, rest.join('.')));
};

/** The objects that a relationship may lead to: `Owner`, `Account`, `Asset__r`. */
const parentObjects = (object: string, relationship: string): readonly string[] => {
  if (relationship === 'Owner') return ['User'];
  if (relationship.endsWith('__r')) return ['Any__c'];
  return shapeOf(object).references[`${relationship}Id`] ?? [];
};

/** Returns the value under a path. A parent that isn't there is `null`. */
export const valueAt = (store: CrmStore, object: string, record: FakeCrmRecord, path: string): unknown => {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return readable(object, record)[first] ?? null;
  const parent = parentOf(store, record, first);
  return parent ? valueAt(store, parent.object, parent.record, rest.join('.')) : null;
};

/** The record that a relationship leads to. */
export const parentOf = (store: CrmStore, record: FakeCrmRecord, relationship: string) => {
  const id = record[relationship.endsWith('__r') ? relationship.replace(/__r$/, '__c') : `${relationship}Id`];
  return typeof id === 'string' ? store.find(id) : undefined;
};

/** A record with what the org works out itself: names, whether a task is done, when an event ends. */
export const readable = (object: string, record: FakeCrmRecord): FakeCrmRecord => {
  switch (object) {
    case 'Lead':
    case 'Contact': {
      const name = [record['FirstName'], record['LastName']].filter(Boolean).join(' ');
      return { Name: name, ...record };
    }
    case 'Task':
      return { IsClosed: record['Status'] === 'Completed', ...record };
    case 'Event': {
      const { StartDateTime, EndDateTime, DurationInMinutes, ReminderDateTime } = record;
      const start = timeOf(StartDateTime);
      const end = EndDateTime === undefined ? start + Number(DurationInMinutes) * 60_000 : timeOf(EndDateTime);
      return {
        IsAllDayEvent: false,
        ShowAs: 'Busy',
        ...record,
        StartDateTime: moment(start),
        EndDateTime: moment(end),
        DurationInMinutes: Math.round((end - start) / 60_000),
        ReminderDateTime: moment(timeOf(ReminderDateTime)),
      };
    }
    default:
      return record;
  }
};

/** Milliseconds since 1970; not a number for what is no moment. */
export const timeOf = (moment: unknown): number => (typeof moment === 'string' ? Date.parse(moment) : Number.NaN);

/** Returns a moment as the org writes it: in UTC, with an offset that has no colon. */
const moment = (at: number): string | null =>
  Number.isNaN(at) ? null : new Date(at).toISOString().replace('Z', '+0000');

export const notFound = (): Refused => new Refused(404, 'NOT_FOUND', 'The requested resource does not exist');

/** Throws `Refused` for an id that isn't that of a record of this object. */
export const recordOf = (store: CrmStore, object: string, id: string): FakeCrmRecord => {
  const record = store.recordsOf(object).get(id);
  if (record) return record;
  throw store.wasDeleted(id) ? new Refused(404, 'ENTITY_IS_DELETED', 'entity is deleted') : notFound();
};
