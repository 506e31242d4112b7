import type { Endpoint } from '../../http/operation.ts';
import { path } from '../../http/path.ts';
import type { AnyFields } from '../object-table.ts';
import type { HubSpotPaths } from './versions.ts';

/** The fields that are associations: what they lead to, and how a search names it. */
export const associatedBy: Readonly<Record<string, keyof TypeIds>> = {
  AccountId: 'company',
  ContactId: 'contact',
  WhoId: 'contact',
  WhatId: 'deal',
  TicketId: 'ticket',
};

interface TypeIds {
  readonly contact?: number;
  readonly company?: number;
  readonly deal?: number;
  readonly ticket?: number;
}

/** HubSpot's own association types, by the object they start from. Companies are primary ones. */
const typeIds: Readonly<Record<string, TypeIds>> = {
  contacts: { company: 1, deal: 4, ticket: 15 },
  deals: { contact: 3, company: 5, ticket: 27 },
  tickets: { contact: 16, company: 26, deal: 28 },
  calls: { contact: 194, company: 182, deal: 206, ticket: 220 },
  emails: { contact: 198, company: 186, deal: 210, ticket: 224 },
  meetings: { contact: 200, company: 188, deal: 212, ticket: 226 },
  notes: { contact: 202, company: 190, deal: 214, ticket: 228 },
  tasks: { contact: 204, company: 192, deal: 216, ticket: 230 },
};

const typeIdOf = (type: string, field: string): number | undefined => {
  const to = Object.hasOwn(associatedBy, field) ? associatedBy[field] : undefined;
  return to === undefined ? undefined : typeIds[type]?.[to];
};

/** Returns whether a field of an object of HubSpot is an association. */
export const isAssociation = (type: string, field: string): boolean => typeIdOf(type, field) !== undefined;

/** The associations that a new record is made with, in the same request. */
export const associationsOf = (type: string, fields: AnyFields) => {
  const associations = Object.entries(fields).flatMap(([field, id]) => {
    const associationTypeId = typeIdOf(type, field);
    if (associationTypeId === undefined || typeof id !== 'string') return [];
    return [{ to: { id }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId }] }];
  });
  return associations.length > 0 ? associations : undefined;
};

/** The requests that associate a record that is there already. Each may be repeated. */
export const linksOf = (type: string, id: string, fields: AnyFields, { objects }: HubSpotPaths): readonly Endpoint[] =>
  Object.entries(fields).flatMap(([field, to]) => {
    if (!isAssociation(type, field) || typeof to !== 'string') return [];
    const target = plurals[associatedBy[field] ?? ''] ?? '';
    return [
      {
        method: 'PUT' as const,
        path: `${objects}/${path`${type}/${id}/associations/default/${target}/${to}`}`,
      },
    ];
  });

const plurals: Readonly<Record<string, string>> = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  ticket: 'tickets',
};
