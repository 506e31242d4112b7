import type { CrmClient } from '../crm/index.ts';
import { leadDispositions } from '../crm/records.ts';
import type { RequestOptions } from '../http/operation.ts';
import { findPerson } from './find-person.ts';
import type { RelatedRecords } from './task-fields.ts';

/**
 * What the caller is in the CRM, by e-mail, then by phone: a contact, or else a lead, or what a converted lead has
 * become. `undefined` when the CRM knows nobody.
 */
export const findRelated = async (
  crm: CrmClient,
  { phone, email }: { readonly phone?: string | undefined; readonly email?: string | undefined },
  call: RequestOptions,
): Promise<RelatedRecords | undefined> => {
  const person = await findPerson(crm, { phone, email, closedStatuses: [leadDispositions.disqualified] }, call);
  if (!person) return undefined;
  if (person.kind !== 'converted_lead') return { whoId: person.kind === 'contact' ? person.contactId : person.leadId };
  const { leadId, contactId, opportunityId } = person;
  return { whoId: contactId ?? leadId, whatId: opportunityId };
};
