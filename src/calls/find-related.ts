import type { CrmClient } from '../crm/index.ts';
import { leadDispositions } from '../crm/records.ts';
import type { RequestOptions } from '../http/operation.ts';
import { findPerson } from './find-person.ts';
import type { RelatedRecords } from './task-fields.ts';

/** What the caller's Task is about, or that several records could be the caller's. */
export type FoundRelated = RelatedRecords | 'ambiguous' | undefined;

/**
 * What the caller is in the CRM: a contact, or else a lead, or what a converted lead has become. `undefined` when the
 * CRM doesn't know the caller, `ambiguous` when several records match.
 */
export const findRelated = async (
  crm: CrmClient,
  { phone, email }: { readonly phone?: string | undefined; readonly email?: string | undefined },
  call: RequestOptions,
): Promise<FoundRelated> => {
  const person = await findPerson(crm, { phone, email, closedStatuses: [leadDispositions.disqualified] }, call);
  if (!person) return undefined;
  if (person.kind === 'ambiguous') return 'ambiguous';
  if (person.kind !== 'converted_lead') return { whoId: person.kind === 'contact' ? person.contactId : person.leadId };
  const { leadId, contactId, opportunityId } = person;
  return { whoId: contactId ?? leadId, whatId: opportunityId };
};
