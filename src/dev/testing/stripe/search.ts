import { Refused } from '../refused.ts';

/** The fields of a customer that can be searched here. */
export interface SearchedCustomer {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/**
 * Reads a query of Stripe's search language, `email:'ada@example.com' OR phone:'+14155550100'`, and says which customers
 * it matches. Throws `Refused` for what is no such query.
 */
export const matcherOf = (query: string): ((customer: SearchedCustomer) => boolean) => {
  const clauses: Clause[] = [];
  const joints = new Set<string>();
  let rest = query.trim();
  while (rest !== '') {
    const found = clause.exec(rest);
    if (!found) throw unreadable();
    const [whole, negated, field = '', operator = '', single, double] = found;
    if (!isField(field)) throw refusal(`Field \`${field}\` is an unsupported search field for resource \`customers\`.`);
    const value = (single ?? double ?? '').replaceAll(/\\(.)/g, '$1').toLowerCase();
    if (operator === '~' && value.length < 3) throw refusal('A substring must have at least 3 characters.');
    clauses.push({ isNegated: negated === '-', field, operator, value });
    rest = rest.slice(whole.length);
    const joint = /^\s+(?:(AND|OR)\s+)?(?=\S)/i.exec(rest);
    if (rest.trim() !== '' && !joint) throw unreadable();
    if (joint) joints.add(joint[1]?.toUpperCase() ?? 'AND');
    rest = rest.slice(joint?.[0].length ?? rest.length);
  }
  if (clauses.length === 0) throw unreadable();
  if (clauses.length > 10) throw refusal('A query can have at most 10 clauses.');
  if (joints.size > 1) throw refusal('AND and OR cannot be combined in one query.');
  const isMet = (customer: SearchedCustomer) => (one: Clause) => matches(customer, one) !== one.isNegated;
  return (customer) => (joints.has('OR') ? clauses.some(isMet(customer)) : clauses.every(isMet(customer)));
};

interface Clause {
  readonly isNegated: boolean;
  readonly field: keyof SearchedCustomer;
  readonly operator: string;
  readonly value: string;
}

const clause = /^(-?)(\w+)(:|~)(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/su;

const isField = (name: string): name is keyof SearchedCustomer => ['name', 'email', 'phone'].includes(name);

const matches = (customer: SearchedCustomer, { field, operator, value }: Clause): boolean => {
  const own = customer[field]?.toLowerCase() ?? '';
  return operator === '~' ? own.includes(value) : own === value;
};

const refusal = (message: string) => new Refused(400, '', message, { field: 'query' });

const unreadable = () =>
  refusal('We were unable to parse your search query. Try using the format `metadata["key"]:"value"`.');
