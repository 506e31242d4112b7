import type { CrmClient } from '../crm/index.ts';
import { ClientError } from '../errors.ts';
import type { RequestOptions } from '../http/operation.ts';
import { path } from '../http/path.ts';
import * as z from '../schema.ts';

const text = z.lazily(() => z.nullish(z.string()));

/** What following a person through the CRM needs to know of a record. */
export interface CrmRecord {
  readonly Id?: string | null | undefined;
  readonly OwnerId?: string | null | undefined;
  readonly AccountId?: string | null | undefined;
  readonly Status?: string | null | undefined;
  readonly IsConverted?: boolean | null | undefined;
  readonly ConvertedContactId?: string | null | undefined;
  readonly ConvertedOpportunityId?: string | null | undefined;
}

const recordSchema = z.lazily<CrmRecord>(() =>
  z.looseObject({
    Id: text(),
    OwnerId: text(),
    AccountId: text(),
    Status: text(),
    IsConverted: z.nullish(z.boolean()),
    ConvertedContactId: text(),
    ConvertedOpportunityId: text(),
  }),
);

const operations = {
  Lead: 'crm.leads.get',
  Contact: 'crm.contacts.get',
  Opportunity: 'crm.opportunities.get',
} as const;

/** Reads one record by its id. Path of the real CRM; the interface document has no endpoint for it. */
export const readCrmRecord = (
  crm: CrmClient,
  object: keyof typeof operations,
  id: string,
  call: RequestOptions,
): Promise<CrmRecord> =>
  crm.request(
    { operation: operations[object], method: 'GET', path: path`sobjects/${object}/${id}`, returns: recordSchema() },
    call,
  );

/** Whether an API doesn't have what it was asked: 404, or 405 for a path that it has with other methods. */
export const isMissingEndpoint = (error: unknown): boolean =>
  error instanceof ClientError && (error.status === 404 || error.status === 405);
