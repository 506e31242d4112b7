import { entry } from '../api/entry.ts';
import { readList, readOptionalList } from '../core/envelope.ts';
import { type Reader, readNothing, readOptional } from '../core/schema.ts';
import * as check from './fields.ts';
import type { Company } from './records.ts';

/** The operations on companies, as Intercom has them. */
export const companyEndpoints = <Attributes extends object>(company: Reader<Company<Attributes>>) => ({
  get: entry({ method: 'GET', path: 'companies/{id}', absentOn404: true, returns: readOptional(company) }),
  create: entry({
    method: 'POST',
    path: 'companies',
    takes: check.companyFields,
    // With an id of yours it's an upsert.
    repeat: ({ company_id }) => (company_id ? 'again' : undefined),
    returns: company,
  }),
  update: entry({
    method: 'PUT',
    path: 'companies/{id}',
    takes: check.companyFields,
    withoutKeys: 'again',
    returns: company,
  }),
  find: entry({
    method: 'GET',
    path: 'companies',
    takes: check.companyQuery,
    query: ({ name, companyId }) => ({ name, company_id: companyId }),
    absentOn404: true,
    // Described as a list; the pages of the API show the company itself.
    answer: (answer) => (Array.isArray(Object(answer).data) ? (Object(answer).data[0] ?? null) : answer),
    returns: readOptional(company),
  }),
  list: entry({
    method: 'GET',
    path: 'companies',
    takes: check.companyPage,
    query: ({ page, pageSize }) => ({ page, per_page: pageSize }),
    returns: readOptionalList(readList(company, { under: ['companies'] })),
  }),
  listForContact: entry({
    method: 'GET',
    path: 'contacts/{contactId}/companies',
    returns: readOptionalList(readList(company, { under: ['companies'] })),
  }),
  attach: entry({
    method: 'POST',
    path: 'contacts/{contactId}/companies',
    takes: check.companyId,
    body: ({ companyId }) => ({ id: companyId }),
    withoutKeys: 'again',
    returns: company,
  }),
  detach: entry({ method: 'DELETE', path: 'contacts/{contactId}/companies/{companyId}', returns: readNothing }),
});
