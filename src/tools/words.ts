/** The codes that tools give a model, as words. Every code that can occur stands here; the compiler sees to it. */
import type { LoggedCall, QualifiedLead } from '../calls/index.ts';

/** What the caller turned out to be. */
export const qualifiedWords: Readonly<Record<QualifiedLead['outcome'], string>> = {
  lead_created: 'saved as a new lead',
  open_lead: 'already a lead, noted there',
  converted_lead: 'already became a customer, noted for their contact',
  contact_task: 'already a customer, noted for follow-up',
  contact_opportunity: 'already a customer, saved as a new opportunity',
  ambiguous: 'several people match, nothing saved: ask for the e-mail address and try again',
  account_opportunity: 'company is a customer, saved as a new opportunity',
};

/** What became of the log of the phone call. */
export const loggedWords: Readonly<Record<LoggedCall['task'], string>> = {
  created: 'logged',
  updated: 'log updated',
  unchanged: 'already logged',
};
