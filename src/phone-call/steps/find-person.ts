import type { CrmClient, CrmContact, Lead } from '../../crm/index.ts';
import { leadDispositions } from '../../crm/leads.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { isSamePhone } from '../../phone/forms.ts';
import { isOtherPerson, isSameEmail } from '../../phone/same-person.ts';

/** The way in which a record of the CRM was found. `duplicate`: the CRM named it when it refused a new lead. */
export type MatchedBy = 'email' | 'phone' | 'duplicate' | 'this_call';

/** The caller as the CRM knows them. */
export type CrmPerson =
  | {
      readonly kind: 'contact';
      readonly contactId: string;
      readonly accountId?: string | undefined;
      readonly matchedBy: MatchedBy;
    }
  | CrmLead
  | AmbiguousPerson;

export interface CrmLead {
  /** `closed`: sales has given it up. `converted`: it has become a contact and must not be changed any more. */
  readonly kind: 'open_lead' | 'closed_lead' | 'converted_lead';
  readonly leadId: string;
  readonly contactId?: string | undefined;
  readonly opportunityId?: string | undefined;
  readonly matchedBy: MatchedBy;
}

/** Several records match, and nothing says which one is the caller. */
export interface AmbiguousPerson {
  readonly kind: 'ambiguous';
  readonly count: number;
  readonly matchedBy: MatchedBy;
}

export interface CrmPersonQuery {
  readonly email?: string | undefined;
  /** E.164. */
  readonly phone?: string | undefined;
  /** Statuses of leads that sales has given up, whatever their case. */
  readonly closedStatuses: readonly string[];
}

/**
 * Looks for a person among contacts and leads at once, by e-mail or phone: one search of each. A contact goes before a
 * lead, and an e-mail before a phone. So a lead with the e-mail goes before a contact with the number and another
 * e-mail. The e-mail alone decides a number that several people share.
 */
export const findPerson = async (
  crm: CrmClient,
  { email, phone, closedStatuses }: CrmPersonQuery,
  call: RequestOptions,
): Promise<CrmPerson | undefined> => {
  const by = { email: email || undefined, phone: phone || undefined };
  const [contacts, leads] = await Promise.all([
    // The default API compares this number too, and doesn't read it by itself.
    findRows<CrmContact>((asked) => crm.contacts.search({ ...asked, fields: ['MobilePhone'] }, call), by),
    findRows<Lead>((asked) => crm.leads.search(asked, call), by),
  ]);
  const toLeads = (rows: readonly Lead[], matchedBy: MatchedBy) =>
    rows.map((lead) => toCrmLead(lead.Id, lead, matchedBy, closedStatuses));
  const leadByEmail = chooseLead(toLeads(leads.email, 'email'));
  return choose({
    contactByEmail: chooseContact(withPhone(contacts.email, phone), 'email'),
    contactByPhone: chooseContact(
      hasLead(leadByEmail) ? contacts.phone.filter(({ Email }) => !Email) : contacts.phone,
      'phone',
    ),
    leadByEmail,
    leadByPhone: chooseLead(toLeads(leads.phone, 'phone')),
    hasEmail: by.email !== undefined,
  });
};

interface Candidates {
  readonly contactByEmail: CrmPerson | undefined;
  readonly contactByPhone: CrmPerson | undefined;
  readonly leadByEmail: CrmPerson | undefined;
  readonly leadByPhone: CrmPerson | undefined;
  readonly hasEmail: boolean;
}

const choose = ({ contactByEmail, contactByPhone, leadByEmail, leadByPhone, hasEmail }: Candidates) => {
  const byPhone = contactByPhone ?? leadByPhone;
  const isShared = byPhone?.kind === 'ambiguous';
  if (contactByEmail) return contactByEmail;
  if (contactByPhone && !isShared) return contactByPhone;
  if (leadByEmail && leadByEmail.kind !== 'closed_lead') return leadByEmail;
  if (!isShared)
    return leadByPhone?.kind === 'closed_lead' ? (leadByEmail ?? leadByPhone) : (leadByPhone ?? leadByEmail);
  // None of those who share the number has this address: the caller is another person.
  return hasEmail ? leadByEmail : byPhone;
};

/** The rows of a search, each under the detail that it certainly has. */
interface FoundRows<Row> {
  readonly email: readonly Row[];
  readonly phone: readonly Row[];
}

interface Details {
  readonly email: string | undefined;
  readonly phone: string | undefined;
}

/** Enough to see all who share a number. */
const mostRows = 20;

const findRows = async <Row extends CrmContact | Lead>(
  search: (by: Details & { readonly limit: number }) => Promise<{ readonly data: readonly Row[] }>,
  by: Details,
): Promise<FoundRows<Row>> => {
  const { email, phone } = by;
  const hasEmail = ({ Email }: Row) => email !== undefined && isSameEmail(email, Email ?? '');
  const found = await search({ ...by, limit: mostRows });
  const data = found.data.filter((row) => !isOtherPerson(row, by));
  if (email === undefined) return { email: [], phone: data };
  if (phone === undefined) return { email: data, phone: [] };
  const matching = data.filter(hasEmail);
  const searchByEmail = async () => {
    const byEmail = await search({ email, phone: undefined, limit: mostRows });
    return byEmail.data.filter((row) => !isOtherPerson(row, { email }));
  };
  // A CRM that gives ids alone, or more rows than fit, is searched for those that have the address.
  const isUnclear = data.length > 1 && matching.length === 0 && (found.data.length === mostRows || data.every(isBare));
  const withEmail = isUnclear ? await searchByEmail() : matching;
  const ids = new Set(withEmail.map(({ Id }) => Id));
  return { email: withEmail, phone: data.filter(({ Id }) => !ids.has(Id)) };
};

/** The lead with the caller's address is the caller. A contact with the number and another address isn't. */
const hasLead = (lead: CrmPerson | undefined): boolean => lead !== undefined && lead.kind !== 'closed_lead';

const isBare = ({ Email }: CrmContact | Lead): boolean => Email === undefined;

/** Prefers the contact that has the number too, if several have one address. */
const withPhone = (rows: readonly CrmContact[], phone: string | undefined): readonly CrmContact[] => {
  const both = phone ? rows.filter(({ Phone }) => isSamePhone(phone, Phone ?? '')) : [];
  return both.length === 1 ? both : rows;
};

const chooseContact = (rows: readonly CrmContact[], matchedBy: MatchedBy): CrmPerson | undefined => {
  const [first, ...others] = rows;
  if (!first) return undefined;
  if (others.length > 0) return { kind: 'ambiguous', count: rows.length, matchedBy };
  const { Id: contactId, AccountId: accountId } = first;
  return { kind: 'contact', contactId, accountId: accountId ?? undefined, matchedBy };
};

/** An open lead goes before what others with this address have become, and a closed one counts only by itself. */
const chooseLead = (leads: readonly CrmLead[]): CrmPerson | undefined => {
  const [first] = leads;
  if (!first) return undefined;
  const ofKind = (kind: CrmLead['kind']) => leads.filter((lead) => lead.kind === kind);
  const open = ofKind('open_lead');
  const converted = ofKind('converted_lead');
  // Behind one number there may be several people; behind one address there is one.
  const live = first.matchedBy === 'email' && open.length > 0 ? open : [...open, ...converted];
  if (live.length > 1) return { kind: 'ambiguous', count: live.length, matchedBy: first.matchedBy };
  return live[0] ?? first;
};

/** Reads the state of a lead. Without a status it counts as open. */
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
    contactId: contactId ?? undefined,
    opportunityId: opportunityId ?? undefined,
    matchedBy,
  };
};

/** The fields by which a person is followed through the CRM. */
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
