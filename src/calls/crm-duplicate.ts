import { ClientError } from '../errors.ts';

/** The record because of which the CRM refused to create a lead. */
export interface CrmDuplicate {
  readonly object: 'Contact' | 'Lead';
  readonly id: string;
}

/**
 * Reads which records a refused lead duplicates: the contacts, or else the leads, each once. None when that isn't why it
 * was refused, or the CRM doesn't name them. Salesforce spells the field `duplicateResut` in some versions. A preset reads
 * the ids from the whole answer, of which `details` may be the beginning.
 */
export const crmDuplicates = (error: unknown): readonly CrmDuplicate[] => {
  if (!(error instanceof ClientError)) return [];
  const inDetails = listOf(error.details).flatMap((problem) => [...fromMatches(problem), ...fromMessage(problem)]);
  const inProblems = error.problems.flatMap(({ code, ids = [] }) => {
    if (code.startsWith('DUPLICATE')) return ids.flatMap((id) => toDuplicate(id, undefined));
    // HubSpot: a person is read as a lead, and the record says what it has become.
    return code === 'CONFLICT' ? ids.flatMap((id) => toDuplicate(id, 'Lead')) : [];
  });
  const all = [...new Map([...inDetails, ...inProblems].map((found) => [found.id.slice(0, 15), found])).values()];
  const contacts = all.filter(({ object }) => object === 'Contact');
  return contacts.length > 0 ? contacts : all;
};

const fromMatches = (problem: Fields): readonly CrmDuplicate[] => {
  const result = fieldsOf(problem['duplicateResult'] ?? problem['duplicateResut']);
  return listOf(result['matchResults']).flatMap((match) =>
    listOf(match['matchRecords']).flatMap((matched) => {
      const record = fieldsOf(matched['record']);
      const { Id: id } = record;
      return typeof id === 'string'
        ? toDuplicate(id, match['entityType'] ?? fieldsOf(record['attributes'])['type'])
        : [];
    }),
  );
};

/** `duplicate value found: Email duplicates value on record with id: 00Q…` */
const fromMessage = (problem: Fields): readonly CrmDuplicate[] => {
  const { errorCode, message } = problem;
  if (errorCode !== 'DUPLICATE_VALUE' || typeof message !== 'string') return [];
  const [, id] = /\bid\s*[:=]\s*(\w+)/.exec(message) ?? [];
  return id === undefined ? [] : toDuplicate(id, undefined);
};

/** Ids show the kind of their record: 003 a contact, 00Q a lead. Others, such as accounts, are not followed. */
const toDuplicate = (id: string, type: unknown): readonly CrmDuplicate[] => {
  const object = type ?? (id.startsWith('003') ? 'Contact' : id.startsWith('00Q') ? 'Lead' : undefined);
  return object === 'Contact' || object === 'Lead' ? [{ object, id }] : [];
};

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
