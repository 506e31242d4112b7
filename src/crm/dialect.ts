import type { Endpoint } from '../http/operation.ts';
import { path } from '../http/path.ts';
import type { AccountSearch, CaseSearch, OpportunitySearch, PersonSearch } from './records.ts';
import { type Condition, writeQuery } from './query.ts';

/** The kinds of record that this package knows. */
export type CrmObject = 'Lead' | 'Task' | 'Contact' | 'Account' | 'Opportunity' | 'Case';

/** How the CRM spells its operations. */
export interface CrmDialect {
  /** Stands before every path. */
  readonly pathPrefix: (version: string) => string;
  readonly create: (object: CrmObject, fields: object) => Endpoint;
  readonly update: (object: CrmObject, id: string, fields: object) => Endpoint;
  /** `q` is written by {@link queries} and by nobody else. */
  readonly search: (object: CrmObject, search: { readonly q: string; readonly limit: number }) => Endpoint;
}

/** As the interface document writes them; the update, which it only names, as the real CRM does. */
export const documentedCrm: CrmDialect = {
  pathPrefix: (version) => `services/data/v${version}/`,
  create: (object, fields) => ({ method: 'POST', path: `${path`sobjects/${object}`}/`, body: fields }),
  update: (object, id, fields) => ({ method: 'PATCH', path: path`sobjects/${object}/${id}`, body: fields }),
  search: (object, { q, limit }) => ({ method: 'POST', path: path`sobjects/${object}/search`, body: { q, limit } }),
};

/** What is asked in a search. The most recently changed row comes first, since only one row is asked for by default. */
export const queries = {
  leads: ({ email, phone, fields = [] }: PersonSearch): string =>
    writeQuery({
      select: [
        'Id',
        'Status',
        'Email',
        'Phone',
        'OwnerId',
        'IsConverted',
        'ConvertedContactId',
        'ConvertedAccountId',
        'ConvertedOpportunityId',
        'LastModifiedDate',
        ...fields,
      ],
      from: 'Lead',
      where: { any: given({ Email: email, Phone: phone }) },
      // With one row asked for, a converted lead must not hide an open one.
      orderBy: ['IsConverted ASC', 'LastModifiedDate DESC'],
    }),
  contacts: ({ email, phone, fields = [] }: PersonSearch): string =>
    writeQuery({
      select: ['Id', 'AccountId', 'Email', 'Phone', 'OwnerId', 'LastModifiedDate', ...fields],
      from: 'Contact',
      where: { any: given({ Email: email, Phone: phone, MobilePhone: phone }) },
      orderBy: ['LastModifiedDate DESC'],
    }),
  accounts: ({ name, phone, fields = [] }: AccountSearch): string =>
    writeQuery({
      select: ['Id', 'Name', 'OwnerId', 'LastModifiedDate', ...fields],
      from: 'Account',
      where: { any: given({ Name: name, Phone: phone }) },
      orderBy: ['LastModifiedDate DESC'],
    }),
  opportunities: ({ accountId, isClosed, fields = [] }: OpportunitySearch): string =>
    writeQuery({
      select: ['Id', 'AccountId', 'StageName', 'IsClosed', 'OwnerId', 'LastModifiedDate', ...fields],
      from: 'Opportunity',
      where: { all: given({ AccountId: accountId, IsClosed: isClosed }) },
      orderBy: ['LastModifiedDate DESC'],
    }),
  cases: ({ contactId, accountId, caseNumber, isClosed, fields = [] }: CaseSearch): string =>
    writeQuery({
      select: ['Id', 'CaseNumber', 'Subject', 'Status', 'IsClosed', 'OwnerId', 'LastModifiedDate', ...fields],
      from: 'Case',
      where: {
        all: given({ ContactId: contactId, AccountId: accountId, CaseNumber: caseNumber, IsClosed: isClosed }),
      },
      orderBy: ['LastModifiedDate DESC'],
    }),
};

const given = (values: Readonly<Record<string, Condition['value'] | undefined>>): readonly Condition[] =>
  Object.entries(values).flatMap(([field, value]) => (value === undefined ? [] : [{ field, value }]));
