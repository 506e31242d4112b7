import { ClientError } from '../../core/errors.ts';
import { duplicateMatches } from '../../crm/problems.ts';
import { objectsIn } from '../../stores/ports/json.ts';
import type { LeadFields } from '../../crm/index.ts';
import { linesOf } from '../../crm/left-out.ts';
import { maskFields } from './mask-fields.ts';

/** Returns whether the CRM's own rules refused a record: it was looked at, and a field is missing or can't be so. */
export const isRuleRefusal = (error: unknown): error is ClientError =>
  error instanceof ClientError &&
  (error.status === 400 || error.status === 422) &&
  error.outcome === 'rejected' &&
  error.problems.some(({ code, fields = [] }) => fields.length > 0 || code === 'FIELD_CUSTOM_VALIDATION_EXCEPTION');

/** The fields that a refusal names, as the CRM calls them. */
export const refusedFields = ({ problems }: ClientError): readonly string[] => [
  ...new Set(problems.flatMap(({ fields = [] }) => fields)),
];

/** The record because of which the CRM refused to create a lead. */
interface CrmDuplicate {
  readonly object: 'Contact' | 'Lead';
  readonly id: string;
}

/**
 * Reads which records a refused lead duplicates: the contacts, or else the leads, each once. None when that isn't why it
 * was refused, or the CRM doesn't name them. A preset reads the ids from the whole answer, of which `details`
 * may be the beginning.
 */
export const crmDuplicates = (error: unknown): readonly CrmDuplicate[] => {
  if (!(error instanceof ClientError)) return [];
  const inDetails = objectsIn(error.details)
    .flatMap(duplicateMatches)
    .flatMap(({ id, type }) => toDuplicate(id, type));
  const inProblems = error.problems.flatMap(({ code, ids = [] }) => {
    if (code.startsWith('DUPLICATE')) return ids.flatMap((id) => toDuplicate(id, undefined));
    // HubSpot: a person is read as a lead, and the record says what it has become.
    return code === 'CONFLICT' ? ids.flatMap((id) => toDuplicate(id, 'Lead')) : [];
  });
  const all = [...new Map([...inDetails, ...inProblems].map((found) => [found.id.slice(0, 15), found])).values()];
  const contacts = all.filter(({ object }) => object === 'Contact');
  return contacts.length > 0 ? contacts : all;
};

/** Ids show the kind of their record: 003 a contact, 00Q a lead. Others, such as accounts, are not followed. */
const toDuplicate = (id: string, type: unknown): readonly CrmDuplicate[] => {
  const object = type ?? (id.startsWith('003') ? 'Contact' : id.startsWith('00Q') ? 'Lead' : undefined);
  return object === 'Contact' || object === 'Lead' ? [{ object, id }] : [];
};

/** Writes the facts on the caller for the Task: a line for each field. */
export const learnedOf = (lead: LeadFields): string => linesOf(maskFields(lead)).join('\n');
