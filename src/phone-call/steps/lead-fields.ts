import type { LeadFields } from '../../crm/index.ts';
import { linesOf } from '../../crm/left-out.ts';
import type { MatchedBy } from './find-person.ts';
import { maskFields } from './mask-fields.ts';

/** A phone is shared and can be borrowed: who the lead is stays as it was. */
export const knownLeadFields = (lead: LeadFields, matchedBy: MatchedBy): LeadFields => {
  if (matchedBy === 'email') return maskFields(lead);
  const { FirstName: _first, LastName: _last, Company: _company, Email: _email, Phone: _phone, ...rest } = lead;
  return maskFields(rest);
};

/** What was learned of the caller, for the Task: a line for each field. */
export const learnedOf = (lead: LeadFields): string => linesOf(maskFields(lead)).join('\n');
