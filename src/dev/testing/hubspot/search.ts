import { bareDigits } from '../../../phone/forms.ts';
import type { EndpointAnswer } from '../endpoint.ts';
import { Refused } from '../refused.ts';
import { properties } from './objects.ts';
import type { HubSpotRecord, HubSpotStore } from './store.ts';

interface Filter {
  readonly propertyName?: unknown;
  readonly operator?: unknown;
  readonly value?: unknown;
  readonly values?: unknown;
}

const invalid = (message: string) => new Refused(400, 'VALIDATION_ERROR', message);

/** Answers a search as HubSpot's index does, with its limits. */
export const searchRecords = (
  store: HubSpotStore,
  type: string,
  body: Readonly<Record<string, unknown>>,
  isIndexed: (record: HubSpotRecord) => boolean,
  shown: (record: HubSpotRecord, names: readonly string[]) => object,
): EndpointAnswer => {
  if (JSON.stringify(body['filterGroups'] ?? []).length > 3000)
    throw invalid('The request body is too long: at most 3000 characters');
  const groups = listOf(body['filterGroups']).map(
    (group) => listOf((group as { filters?: unknown }).filters) as Filter[],
  );
  const total = groups.reduce((sum, { length }) => sum + length, 0);
  if (groups.length > 5 || groups.some(({ length }) => length > 6 || length === 0) || total > 18)
    throw invalid('There are too many filters, or a group without any');
  const { limit = 10, after = '0' } = body;
  if (typeof limit !== 'number' || limit < 1 || limit > 200) throw invalid('limit must be 1 to 200');
  const from = Number(after);
  if (!Number.isInteger(from) || from < 0 || from + limit > 10_000) throw invalid('At most 10000 results can be paged');
  for (const filter of groups.flat()) {
    assertProperty(type, filter.propertyName);
    assertOperator(filter);
  }
  const sorts = listOf(body['sorts']) as { propertyName?: string; direction?: string }[];
  if (sorts.length > 1) throw invalid('Only one sort is taken');

  const rows = [...store.recordsOf(type).values()]
    .filter(isIndexed)
    .filter((record) => groups.length === 0 || groups.some((group) => group.every((one) => holds(type, record, one))));
  const [sort] = sorts;
  if (sort) {
    assertProperty(type, sort.propertyName);
    const sign = sort.direction === 'DESCENDING' ? -1 : 1;
    const key = (record: HubSpotRecord) => valueOf(record, sort.propertyName ?? '') ?? '';
    rows.sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0));
  }
  const names = listOf(body['properties']).filter((name) => typeof name === 'string');
  const next = from + limit;
  return {
    status: 200,
    body: {
      total: rows.length,
      results: rows.slice(from, next).map((record) => shown(record, names)),
      paging: next < rows.length ? { next: { after: String(next) } } : undefined,
    },
  };
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const assertProperty = (type: string, name: unknown): void => {
  if (typeof name !== 'string') throw invalid('propertyName is required');
  if (/^associations\.(?:contact|company|deal|ticket)$/.test(name)) return;
  if (properties[type] && !Object.hasOwn(properties[type], name))
    throw invalid(`There was a problem with the request: property ${name} does not exist`);
};

/** Each operator takes a value, a list of them, or neither. */
const assertOperator = ({ operator, value, values }: Filter): void => {
  const takes = operators[String(operator)];
  if (takes === undefined)
    throw invalid(`Invalid input JSON on line 1, column 1: there is no operator ${String(operator)}`);
  if ((takes === 'value') !== (typeof value === 'string'))
    throw invalid(`${String(operator)} takes ${takes === 'value' ? 'a value' : 'no value'}`);
  if ((takes === 'values') !== Array.isArray(values))
    throw invalid(`${String(operator)} takes ${takes === 'values' ? 'values' : 'no values'}`);
};

const operators: Readonly<Record<string, 'value' | 'values' | 'nothing'>> = {
  EQ: 'value',
  NEQ: 'value',
  LT: 'value',
  LTE: 'value',
  GT: 'value',
  GTE: 'value',
  CONTAINS_TOKEN: 'value',
  NOT_CONTAINS_TOKEN: 'value',
  IN: 'values',
  NOT_IN: 'values',
  HAS_PROPERTY: 'nothing',
  NOT_HAS_PROPERTY: 'nothing',
};

/** A property, or what HubSpot computes of one. */
export const valueOf = ({ id, properties: own, createdAt, updatedAt }: HubSpotRecord, name: string): string | null => {
  if (name === 'hs_object_id') return id;
  if (name === 'createdate' || name === 'hs_createdate') return new Date(createdAt).toISOString();
  if (name === 'lastmodifieddate' || name === 'hs_lastmodifieddate') return new Date(updatedAt).toISOString();
  if (name === 'hs_searchable_calculated_phone_number') return searchable(own['phone']);
  if (name === 'hs_searchable_calculated_mobile_number') return searchable(own['mobilephone']);
  return own[name] ?? null;
};

/** Area code and local number, without the country's. */
const searchable = (phone: string | null | undefined): string | null => {
  if (!phone) return null;
  if (!phone.startsWith('+')) return phone.replaceAll(/\D/g, '');
  return bareDigits(`+${phone.replaceAll(/\D/g, '')}`)[0] ?? null;
};

const singular: Readonly<Record<string, string>> = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  ticket: 'tickets',
};

const holds = (type: string, record: HubSpotRecord, { propertyName, operator, value, values }: Filter): boolean => {
  const name = String(propertyName);
  const [, to] = /^associations\.(\w+)$/.exec(name) ?? [];
  if (to !== undefined) {
    if (operator !== 'EQ' && operator !== 'IN') throw invalid(`${name} takes EQ and IN`);
    const ids = record.associations.get(singular[to] ?? '') ?? new Set();
    return [value, ...listOf(values)].some((id) => ids.has(String(id)));
  }
  const own = valueOf(record, name)?.toLowerCase() ?? '';
  const wanted = typeof value === 'string' ? value.toLowerCase() : '';
  // https://developers.hubspot.com/docs/api-reference/latest/crm/search-the-crm (2026-10): lists are compared exactly, with
  // texts in small letters and choices as they are.
  const among = listOf(values).map(String);
  const isChoice = typeof properties[type]?.[name] === 'object';
  const listed = isChoice ? (valueOf(record, name) ?? '') : own;
  switch (operator) {
    case 'EQ':
      return own === wanted;
    case 'NEQ':
      return own !== '' && own !== wanted;
    case 'LT':
      return own !== '' && compare(own, wanted) < 0;
    case 'LTE':
      return own !== '' && compare(own, wanted) <= 0;
    case 'GT':
      return own !== '' && compare(own, wanted) > 0;
    case 'GTE':
      return own !== '' && compare(own, wanted) >= 0;
    case 'IN':
      return among.includes(listed);
    // What has no value is not among those that differ.
    case 'NOT_IN':
      return own !== '' && !among.includes(listed);
    case 'HAS_PROPERTY':
      return own !== '';
    case 'NOT_HAS_PROPERTY':
      return own === '';
    case 'CONTAINS_TOKEN':
      return matches(own, wanted);
    default:
      return !matches(own, wanted);
  }
};

const compare = (a: string, b: string): number => {
  const [left, right] = [numberOf(a), numberOf(b)];
  return left - right;
};

const numberOf = (text: string): number =>
  /^[\d.-]+$/.test(text) && !/-.*-/.test(text) ? Number(text) : Date.parse(text);

/** Tokens are words; a star means anything. */
const matches = (own: string, pattern: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(own) || own.split(/\s+/).some((word) => word === pattern);
};
