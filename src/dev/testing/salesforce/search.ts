import type { EndpointAnswer } from '../endpoint.ts';
import { Refused } from '../refused.ts';
import type { CrmStore, FakeCrmRecord } from '../store/crm.ts';
import type { SoqlCondition } from '../soql/parse.ts';
import { refuseHidden } from './hidden.ts';
import { isQueryablePath } from './objects.ts';
import type { SalesforceRules } from './options.ts';
import { matching, toRow } from './rows.ts';
import { objectNamed, readCondition } from './soql.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';

const scopes = ['ALL', 'EMAIL', 'NAME', 'PHONE', 'SIDEBAR'];

/** Answers `parameterizedSearch`. */
export const searchRecords = (
  store: CrmStore,
  body: Readonly<Record<string, unknown>>,
  {
    version,
    isIndexed,
    rules,
  }: {
    readonly version: string;
    readonly isIndexed: (record: FakeCrmRecord) => boolean;
    readonly rules: SalesforceRules;
  },
): EndpointAnswer => {
  const { q, in: scope = 'ALL', fields = [], sobjects = [], overallLimit } = body;
  if (typeof q !== 'string' || q.trim().length < 2)
    throw new Refused(400, 'MALFORMED_SEARCH', 'search term must be longer than one character');
  if (!scopes.includes(String(scope)))
    throw new Refused(400, 'INVALID_SEARCH_SCOPE', `invalid scope: ${String(scope)}`);
  const records = listOf(sobjects).flatMap((each) => {
    const object = objectNamed(String(each['name']));
    const wanted = listOfTexts(each['fields'] ?? fields);
    const unknown = wanted.find((name) => !isQueryablePath(object, name));
    if (unknown !== undefined)
      throw new Refused(400, 'INVALID_FIELD', `No such column '${unknown}' on entity '${object}'`, { field: unknown });
    refuseHidden(rules.hiddenFields, object, wanted, 'query');
    const where =
      typeof each['where'] === 'string' ? readCondition(object, each['where'], rules.hiddenFields) : undefined;
    return indexed(store, object, q, String(scope), where)
      .filter(isIndexed)
      .slice(0, numberOr(each['limit'], Infinity))
      .map((row) => toRow(store, object, wanted, row, version));
  });
  return { status: 200, body: { searchRecords: records.slice(0, numberOr(overallLimit, Infinity)), metadata: {} } };
};

const indexed = (
  store: CrmStore,
  object: string,
  q: string,
  scope: string,
  where: SoqlCondition | undefined,
): FakeCrmRecord[] => {
  const query = withoutUndefined({ fields: ['Id'], from: object, orderBy: [], where });
  return matching(store, object, query).filter((row) => matches(row, q, scope));
};

const matches = (row: FakeCrmRecord, q: string, scope: string): boolean =>
  Object.entries(row).some(([name, value]) => {
    if (typeof value !== 'string') return false;
    if (scope === 'PHONE') return name.endsWith('Phone') && samePhone(value, q);
    if (scope === 'EMAIL') return name.endsWith('Email') && value.toLowerCase() === q.toLowerCase();
    return (scope === 'ALL' || name.endsWith('Name')) && value.toLowerCase().includes(q.toLowerCase());
  });

/** With any text between the digits, and with or without a country code. */
const samePhone = (one: string, other: string): boolean => {
  const [a, b] = [one.replace(/\D/g, ''), other.replace(/\D/g, '')];
  return a !== '' && b !== '' && (a.endsWith(b) || b.endsWith(a));
};

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : [];
const listOfTexts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const numberOr = (value: unknown, other: number): number => (typeof value === 'number' ? value : other);
