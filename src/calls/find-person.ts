import type { CrmClient, Lead } from '../crm/index.ts';
import { leadDispositions } from '../crm/records.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { CrmRecord } from './crm-record.ts';

/** How a record of the CRM was found. `duplicate`: the CRM named it when it refused a new lead. */
export type MatchedBy = 'email' | 'phone' | 'duplicate' | 'this_call';

/** The caller as the CRM knows them. */
export type CrmPerson =
  | { readonly kind: 'contact'; readonly contactId: string; readonly accountId?: string; readonly matchedBy: MatchedBy }
  | CrmLead;

export interface CrmLead {
  /** `closed`: sales has given it up. `converted`: it has become a contact and must not be changed any more. */
  readonly kind: 'open_lead' | 'closed_lead' | 'converted_lead';
  readonly leadId: string;
  readonly contactId?: string;
  readonly opportunityId?: string;
  readonly matchedBy: MatchedBy;
}

export interface PersonQuery {
  readonly email?: string | undefined;
  /** E.164. */
  readonly phone?: string | undefined;
  /** Statuses of leads that sales has given up, whatever their case. */
  readonly closedStatuses: readonly string[];
}

/**
 * Looks for a person by e-mail, then by phone: first among contacts, then among leads. One row is asked for; only when
 * that is a closed lead are more, since it may hide an open one.
 */
export const findPerson = async (
  crm: CrmClient,
  query: PersonQuery,
  call: RequestOptions,
): Promise<CrmPerson | undefined> => {
  const { email, phone } = query;
  const keys = [
    ...(email ? [{ matchedBy: 'email', by: { email } } as const] : []),
    ...(phone ? [{ matchedBy: 'phone', by: { phone } } as const] : []),
  ];
  for (const { matchedBy, by } of keys) {
    const [contact] = (await crm.contacts.search({ ...by, limit: 1 }, call)).data;
    if (contact) {
      const { Id: contactId, AccountId: accountId } = contact;
      return { kind: 'contact', contactId, ...(accountId && { accountId }), matchedBy };
    }
  }
  let closed: CrmLead | undefined;
  for (const { matchedBy, by } of keys) {
    const lead = await findLead(crm, by, matchedBy, query.closedStatuses, call);
    if (lead && lead.kind !== 'closed_lead') return lead;
    closed ??= lead;
  }
  return closed;
};

const furtherRows = 50;

const findLead = async (
  crm: CrmClient,
  by: { readonly email: string } | { readonly phone: string },
  matchedBy: MatchedBy,
  closedStatuses: readonly string[],
  call: RequestOptions,
): Promise<CrmLead | undefined> => {
  const toFound = (lead: Lead) => toCrmLead(lead.Id, lead, matchedBy, closedStatuses);
  const [first] = (await crm.leads.search({ ...by, limit: 1 }, call)).data.map(toFound);
  if (first?.kind !== 'closed_lead') return first;
  const others = (await crm.leads.search({ ...by, limit: furtherRows }, call)).data.map(toFound);
  const find = (kind: CrmLead['kind']) => others.find((other) => other.kind === kind);
  return find('open_lead') ?? find('converted_lead') ?? first;
};

/** Reads the state of a lead. What the CRM does not tell is taken for open. */
export const toCrmLead = (
  leadId: string,
  lead: CrmRecord,
  matchedBy: MatchedBy,
  closedStatuses: readonly string[],
): CrmLead => {
  const { ConvertedContactId: contactId, ConvertedOpportunityId: opportunityId } = lead;
  const status = lead.Status?.toLowerCase();
  const isConverted = lead.IsConverted === true || contactId || status === leadDispositions.converted;
  const isClosed = closedStatuses.some((closed) => closed.toLowerCase() === status);
  return {
    kind: isConverted ? 'converted_lead' : isClosed ? 'closed_lead' : 'open_lead',
    leadId,
    ...(contactId && { contactId }),
    ...(opportunityId && { opportunityId }),
    matchedBy,
  };
};
