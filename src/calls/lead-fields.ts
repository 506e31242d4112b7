import type { LeadFields } from '../crm/index.ts';
import { type CallWords, defaultMaximumLength, describeCall } from './describe-call.ts';
import type { MatchedBy } from './find-person.ts';
import { maskFields } from './mask-fields.ts';

/** What a new lead gets beside what was learned. */
export interface NewLeadOptions {
  /** The `Status` of a lead that the voice agent has qualified. @defaultValue what the org gives new leads */
  readonly qualifiedStatus?: string | undefined;
  /** The `LeadSource` of a new lead. @defaultValue 'Phone Inquiry' */
  readonly leadSource?: string | undefined;
  /** Of the description, in UTF-16 units. @defaultValue 32000 */
  readonly maximumTextLength?: number | undefined;
}

/** Summary and link, source and status; what the caller of this step gave itself wins. */
export const newLeadFields = (
  input: CallWords & { readonly lead: LeadFields },
  { leadSource = 'Phone Inquiry', qualifiedStatus, maximumTextLength = defaultMaximumLength }: NewLeadOptions,
): LeadFields => {
  const description = describeCall({ ...input, transcript: undefined }, maximumTextLength);
  return {
    LeadSource: leadSource,
    ...(qualifiedStatus && { Status: qualifiedStatus }),
    ...(description && { Description: description }),
    ...maskFields(input.lead),
  };
};

/** A phone is shared and can be borrowed: who the lead is stays as it was. */
export const knownLeadFields = (lead: LeadFields, matchedBy: MatchedBy): LeadFields => {
  if (matchedBy === 'email') return maskFields(lead);
  const { FirstName: _first, LastName: _last, Company: _company, Email: _email, Phone: _phone, ...rest } = lead;
  return maskFields(rest);
};
