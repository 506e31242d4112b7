import { account, accountSearch } from './accounts.ts';
import { caseSearch, supportCase } from './cases.ts';
import { contact, contactSearch } from './contacts.ts';
import { event, eventSearch } from './events.ts';
import { lead, leadSearch } from './leads.ts';
import { type FieldKind, newestFirst, type ObjectSearch, type ObjectTable, systemFields } from './object-table.ts';
import { opportunity, opportunitySearch } from './opportunities.ts';
import { task, taskSearch } from './tasks.ts';

/** The standard objects of the CRM. */
export const standardObjects = {
  Lead: lead,
  Contact: contact,
  Account: account,
  Opportunity: opportunity,
  Case: supportCase,
  Task: task,
  Event: event,
} as const;

/** The kinds of record that this package knows. */
export type CrmObject = keyof typeof standardObjects;

const searches = {
  Lead: leadSearch,
  Contact: contactSearch,
  Account: accountSearch,
  Opportunity: opportunitySearch,
  Case: caseSearch,
  Task: taskSearch,
  Event: eventSearch,
};

/** The arguments of an object's search, besides those of every search. */
export type SearchBy<Object> = Object extends CrmObject
  ? (typeof searches)[Object] extends ObjectSearch<infer By>
    ? By
    : never
  : unknown;

/** The known fields of the org's own objects. */
export const customObject = { Name: 'text', RecordTypeId: 'id', OwnerId: 'id' } as const;

/** Returns whether an object is one of {@link standardObjects}. */
export const isStandard = (object: string): object is CrmObject => Object.hasOwn(standardObjects, object);

/** Makes something of each object when it's first asked for, once for all clients. Objects of the org's own share one. */
export const perObject = /* @__NO_SIDE_EFFECTS__ */ <Made>(
  make: (object: string) => Made,
): ((object: string) => Made) => {
  const made = new Map<string, Made>();
  return (object) => {
    const name = isStandard(object) ? object : '';
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
};

/** The table of an object: one of the org's own has few known fields. */
export const tableOf = (object: string): ObjectTable =>
  isStandard(object) ? standardObjects[object] : { resource: object, fields: customObject, readOnly: {}, parents: {} };

/** The search of an object: one of the org's own is searched by `where` alone. */
export const searchOf = (object: string): ObjectSearch<Readonly<Record<string, unknown>>> =>
  isStandard(object) ? searches[object] : { by: {}, needs: [], fields: ['Id'], limit: 200, orderBy: [newestFirst] };

/** The kind of a field that is known of an object. */
export const kindOf = (object: string, field: string): FieldKind | undefined => {
  const { fields, readOnly } = tableOf(object);
  const known: Readonly<Record<string, FieldKind>> = { Id: 'id', ...fields, ...readOnly, ...systemFields };
  return Object.hasOwn(known, field) ? known[field] : undefined;
};
