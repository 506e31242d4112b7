import type { CrmClient } from '../../crm/index.ts';
import type { RequestOptions } from '../../http/operation.ts';

/** What following a person through the CRM needs to know of a record. */
export interface CrmRecord {
  readonly OwnerId?: string | null | undefined;
  readonly AccountId?: string | null | undefined;
  readonly Status?: string | null | undefined;
  readonly IsConverted?: boolean | null | undefined;
  readonly ConvertedContactId?: string | null | undefined;
  readonly ConvertedOpportunityId?: string | null | undefined;
}

/** Reads one record by its id; nothing is known of one that isn't there. The default API has no endpoint for it. */
export const readCrmRecord = async (
  crm: CrmClient,
  object: 'Lead' | 'Contact' | 'Opportunity',
  id: string,
  call: RequestOptions,
): Promise<CrmRecord> => {
  if (object === 'Lead') return (await crm.leads.get(id, call)) ?? {};
  if (object === 'Contact') return (await crm.contacts.get(id, call)) ?? {};
  return ((await crm.opportunities.get(id, call)) ?? {}) as CrmRecord;
};
