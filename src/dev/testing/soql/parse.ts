import { MalformedQueryError, type Token, tokenize } from './tokenize.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';

/** A value in a condition. */
export type SoqlValue = string | number | boolean | null | SoqlDate;

/** A day or moment, which is written without quotes. */
export interface SoqlDate {
  readonly date: string;
}

/** A condition on a row. */
export type SoqlCondition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly SoqlCondition[] }
  | { readonly kind: 'not'; readonly condition: SoqlCondition }
  | { readonly kind: 'compare'; readonly field: string; readonly operator: SoqlOperator; readonly value: SoqlValue }
  | { readonly kind: 'like'; readonly field: string; readonly pattern: RegExp }
  | { readonly kind: 'in'; readonly field: string; readonly values: readonly SoqlValue[] }
  /** A condition on a field with several choices. */
  | { readonly kind: 'includes'; readonly field: string; readonly values: readonly SoqlValue[] };

export type SoqlOperator = '=' | '!=' | '<' | '>' | '<=' | '>=';

/** A query, read. */
export interface SoqlQuery {
  readonly fields: readonly string[];
  readonly from: string;
  readonly where?: SoqlCondition;
  readonly orderBy: readonly { readonly field: string; readonly descending: boolean }[];
  readonly limit?: number;
}

/**
 * Reads `SELECT … FROM … [WHERE …] [ORDER BY …] [LIMIT …]`, the part of SOQL that a single object needs, and nothing
 * beyond it. AND and OR need parentheses when they are mixed, as on the real CRM.
 * Throws `MalformedQueryError` for everything else, comments and unended strings included.
 */
export const parseSoql = (text: string): SoqlQuery => {
  const tokens = tokenize(text);
  let at = 0;

  const fail = (expected: string): never => {
    throw new MalformedQueryError(`expected ${expected} but found ${tokens[at]?.text ?? 'the end of the query'}`);
  };
  const isWord = (word: string) => tokens[at]?.kind === 'word' && tokens[at]?.text.toLowerCase() === word;
  const takeWord = (word: string): boolean => {
    const found = isWord(word);
    if (found) at += 1;
    return found;
  };
  const needWord = (word: string) => takeWord(word) || fail(word.toUpperCase());
  const takeSymbol = (symbol: string): boolean => {
    const found = tokens[at]?.kind === 'symbol' && tokens[at]?.text === symbol;
    if (found) at += 1;
    return found;
  };
  const name = (what: string): string => {
    const token = tokens[at];
    if (token?.kind !== 'word' || reserved.has(token.text.toLowerCase())) return fail(what);
    at += 1;
    return token.text;
  };
  const listOf = <T>(item: () => T): T[] => {
    const items = [item()];
    while (takeSymbol(',')) items.push(item());
    return items;
  };
  const value = (): SoqlValue => {
    const token = tokens[at];
    const read = token && toValue(token);
    if (read === undefined) return fail('a value');
    at += 1;
    return read;
  };

  const values = (): SoqlValue[] => {
    if (!takeSymbol('(')) fail('(');
    const list = listOf(value);
    if (!takeSymbol(')')) fail(')');
    return list;
  };

  const pattern = (): RegExp => {
    const token = tokens[at];
    if (token?.kind !== 'string') return fail('a string');
    at += 1;
    return new RegExp(`^${token.pattern}$`, 'i');
  };

  const term = (): SoqlCondition => {
    if (takeWord('not')) return { kind: 'not', condition: term() };
    if (takeSymbol('(')) {
      const inner = condition();
      if (!takeSymbol(')')) fail(')');
      return inner;
    }
    const field = name('a field');
    if (takeWord('not')) {
      needWord('in');
      return { kind: 'not', condition: { kind: 'in', field, values: values() } };
    }
    if (takeWord('in')) return { kind: 'in', field, values: values() };
    if (takeWord('includes')) return { kind: 'includes', field, values: values() };
    if (takeWord('excludes')) return { kind: 'not', condition: { kind: 'includes', field, values: values() } };
    if (takeWord('like')) return { kind: 'like', field, pattern: pattern() };
    const operator = comparisons.find(takeSymbol);
    return operator ? { kind: 'compare', field, operator, value: value() } : fail('an operator');
  };

  const condition = (): SoqlCondition => {
    const conditions = [term()];
    const kind = isWord('and') ? 'and' : 'or';
    while (takeWord(kind)) conditions.push(term());
    if (isWord('and') || isWord('or')) fail('parentheses around mixed AND and OR');
    const [only] = conditions;
    return conditions.length === 1 && only ? only : { kind, conditions };
  };

  const order = () => {
    const field = name('a field');
    const descending = !takeWord('asc') && takeWord('desc');
    if (takeWord('nulls') && !takeWord('first')) needWord('last');
    return { field, descending };
  };

  const limit = (): number => {
    const token = tokens[at];
    if (token?.kind !== 'number' || !/^\d+$/.test(token.text)) return fail('a whole number');
    at += 1;
    return Number(token.text);
  };

  needWord('select');
  const fields = listOf(() => name('a field'));
  needWord('from');
  const from = name('an object');
  const where = takeWord('where') ? condition() : undefined;
  const orderBy = takeWord('order') && needWord('by') ? listOf(order) : [];
  const rows = takeWord('limit') ? limit() : undefined;
  if (at < tokens.length) fail('the end of the query');
  return withoutUndefined({ fields, from, orderBy, where, limit: rows });
};

const reserved = new Set(['select', 'from', 'where', 'and', 'or', 'not', 'in', 'like', 'order', 'by', 'limit']);
const comparisons = ['!=', '<=', '>=', '=', '<', '>'] as const;

const words: ReadonlyMap<string, SoqlValue> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const toValue = (token: Token): SoqlValue | undefined => {
  switch (token.kind) {
    case 'string':
      return token.value;
    case 'number':
      return Number(token.text);
    case 'date':
      return { date: token.text };
    case 'word':
      return words.get(token.text.toLowerCase());
    default:
      return undefined;
  }
};
