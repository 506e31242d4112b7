import type { AttributeValue, FakeContact } from '../store/messaging-records.ts';
import { invalidParameter as invalid } from '../refused.ts';

/** Reads a search; throws `Refused` for one that the platform would not take. */
export const toMatcher = (query: unknown): ((contact: FakeContact) => boolean) => {
  // Checked to be an object.
  const { field, operator, value, ...others } = query as Readonly<Record<string, unknown>>;
  const [unknownName] = Object.keys(others);
  if (unknownName !== undefined) throw invalid(`query.${unknownName}`, 'is not a field of this request');
  if (typeof field !== 'string') throw invalid('query.field', 'must be a string');
  if (typeof operator !== 'string' || !Object.hasOwn(operators, operator)) {
    throw invalid('query.operator', `must be one of ${Object.keys(operators).join(' ')}`);
  }
  if (typeof value !== 'string') throw invalid('query.value', 'must be a string');
  const matches = operators[operator];
  const custom = field.startsWith('custom_attributes.') ? field.slice('custom_attributes.'.length) : undefined;
  const own = searchable.find((name): name is Searchable => name === field);
  if (!matches || (custom === undefined && own === undefined)) throw invalid('query.field', 'cannot be searched');
  return (contact) => matches(own === undefined ? contact.custom_attributes[custom ?? ''] : contact[own], value);
};

/** Texts are equal in any case, as the platform finds them. */
export const isEqual = (a: AttributeValue | undefined, b: unknown) =>
  typeof a === 'string' && typeof b === 'string' ? a.toLowerCase() === b.toLowerCase() : a === b;

const includes = (field: AttributeValue | undefined, value: unknown) =>
  typeof field === 'string' && field.toLowerCase().includes(String(value).toLowerCase());

/** Operators of the real platform's contact search. */
const operators: Readonly<Record<string, (field: AttributeValue | undefined, value: unknown) => boolean>> = {
  '=': isEqual,
  '!=': (field, value) => !isEqual(field, value),
  '~': includes,
  '!~': (field, value) => !includes(field, value),
  '^': (field, value) => typeof field === 'string' && field.startsWith(String(value)),
  $: (field, value) => typeof field === 'string' && field.endsWith(String(value)),
};

const searchable = ['id', 'role', 'phone', 'email', 'name', 'external_id', 'owner_id'] as const;
type Searchable = (typeof searchable)[number];
