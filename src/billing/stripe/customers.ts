import { readList } from '../../core/envelope.ts';
import { checkArgument, type Reader, type RecordList } from '../../core/schema.ts';
import { isSamePhone, phoneForms } from '../../phone/forms.ts';
import { isSameEmail } from '../../phone/same-person.ts';
import type { BillingContext, BillingMethods } from '../dialect.ts';
import { customer, type Customer, type CustomerSearch } from '../customers.ts';

/**
 * Searches by phone or e-mail. If the search finds no e-mail, it asks the list of customers, which can't be asked for a
 * phone number. The index learns of a new customer within a minute; the list knows it at once, in exactly this spelling.
 */
export const createFindCustomers =
  ({ http, entries }: BillingContext): BillingMethods['findCustomers'] =>
  async (by, call) => {
    const { takes } = entries.customers.find;
    const person = takes ? checkArgument(operation, takes, by) : by;
    const ask = (path: string, query: Readonly<Record<string, string>>) =>
      http.request(
        { operation, method: 'GET', path, query: { ...query, limit: '100' }, returns: readMeant(person) },
        call,
      );
    const found = await Promise.all(searchQueries(person).map((query) => ask('customers/search', { query })));
    const { email } = person;
    if (email !== undefined && found.every(({ data }) => data.length === 0)) return ask('customers', { email });
    const data = found.flatMap((part) => part.data);
    return { data, total: data.length, hasMore: found.some(({ hasMore }) => hasMore) };
  };

const operation = 'billing.customers.find';

const readCustomers = readList(customer);

const readMeant =
  (by: CustomerSearch): Reader<RecordList<Customer>> =>
  (json, context) => {
    const data = readCustomers(json, context).data.filter((found) => isMeant(found, by));
    return { data, total: data.length, hasMore: Object(json).has_more === true };
  };

/** The index may be older than the customer that it leads to, and Stripe shows both. */
const isMeant = ({ phone, email }: Customer, by: CustomerSearch): boolean =>
  (by.email === undefined || (typeof email === 'string' && isSameEmail(by.email, email))) &&
  (by.phone === undefined || (typeof phone === 'string' && isSamePhone(by.phone, phone)));

/**
 * Returns queries in Stripe's search language, which has no brackets and doesn't mix AND with OR. An e-mail is searched
 * alone. Stripe keeps phone numbers as they were entered, so the usual spellings are searched, the most used ones first.
 * Source: docs.stripe.com/search.
 */
export const searchQueries = ({ phone, email }: CustomerSearch): readonly string[] => {
  if (email !== undefined) return [`email:${quoted(email)}`];
  const clauses = phone === undefined ? [] : phoneForms(phone).map((form) => `phone:${quoted(form)}`);
  const parts = Array.from({ length: mostSearches }, (_, part) =>
    clauses.slice(part * mostClauses, (part + 1) * mostClauses),
  );
  return parts.filter(({ length }) => length > 0).map((part) => part.join(' OR '));
};

/** A query with more clauses than this is refused. */
const mostClauses = 10;

/** All spellings of North America, and thirty of any other country; 20 searches a second are allowed. */
const mostSearches = 3;

/** A text stays a text: only a quote could end it, and only a backslash could take the meaning of the next character. */
const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
