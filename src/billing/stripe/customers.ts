import { readList } from '../../envelope.ts';
import { checkArgument, type Reader } from '../../schema.ts';
import { isSamePhone, phoneForms } from '../../phone/forms.ts';
import { isSameEmail } from '../../phone/same-person.ts';
import type { BillingContext, BillingMethods } from '../dialect.ts';
import * as read from '../readers.ts';
import type { Customer, CustomerSearch } from '../records.ts';

/**
 * Searches by phone or e-mail, and asks the list of customers where the search finds no e-mail: its index learns of a
 * new customer within a minute, and the list knows it at once, in exactly this spelling. A list can't be asked for a
 * phone number.
 */
export const createFindCustomer =
  ({ http, entries }: BillingContext): BillingMethods['findCustomer'] =>
  async (by, call) => {
    const { takes } = entries.customers.find;
    const person = takes ? checkArgument(operation, takes, by) : by;
    const ask = (path: string, query: Readonly<Record<string, string>>) =>
      http.request({ operation, method: 'GET', path, query, returns: readCustomer(person) }, call);
    const found = await ask('customers/search', { query: searchQuery(person) });
    return found ?? (person.email === undefined ? undefined : await ask('customers', { email: person.email }));
  };

const operation = 'billing.customers.find';

const readCustomers = readList(read.customer);

/** The one customer who is meant. Several are an error. */
const readCustomer =
  (by: CustomerSearch): Reader<Customer | undefined> =>
  (json, context) =>
    read.onlyCustomer(readCustomers(json, context).data.filter((customer) => isMeant(customer, by)));

/** The index may be older than the customer that it leads to, and Stripe shows both. */
const isMeant = ({ phone, email }: Customer, by: CustomerSearch): boolean =>
  (by.email === undefined || (typeof email === 'string' && isSameEmail(by.email, email))) &&
  (by.phone === undefined || (typeof phone === 'string' && isSamePhone(by.phone, phone)));

/**
 * In Stripe's search language, which has no brackets and doesn't mix AND with OR: by e-mail alone where there is one.
 * Stripe keeps phone numbers as they were entered, so the usual spellings are searched.
 * Source: docs.stripe.com/search.
 */
export const searchQuery = ({ phone, email }: CustomerSearch): string => {
  if (email !== undefined) return `email:${quoted(email)}`;
  const forms = phone === undefined ? [] : phoneForms(phone).slice(0, mostClauses);
  return forms.map((form) => `phone:${quoted(form)}`).join(' OR ');
};

/** A query with more clauses than this is refused. */
const mostClauses = 10;

/** A text stays a text: only a quote could end it, and only a backslash could take the meaning of the next character. */
const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
