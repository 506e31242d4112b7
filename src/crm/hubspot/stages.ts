import type { AnyFields } from '../object-table.ts';

/** HubSpot's words for a lead that sales has given up, and for one that must wait; both ways. */
const statusWords: Readonly<Record<string, string>> = { disqualified: 'UNQUALIFIED', nurture: 'BAD_TIMING' };

/** Stages that are no leads' any more, by their internal names. */
const laterStages = ['opportunity', 'customer', 'evangelist', 'other'];

/** The stages that a person has before they're a contact of the client. */
export const usualLeadStages: readonly string[] = [
  'subscriber',
  'lead',
  'marketingqualifiedlead',
  'salesqualifiedlead',
];

/** Where the status of a lead goes: a lifecycle stage, or HubSpot's status of leads. */
export const statusProperties = (word: unknown, leadStages: readonly string[]): Readonly<Record<string, string>> => {
  if (typeof word !== 'string') return { hs_lead_status: '' };
  if (word === 'converted') return { lifecyclestage: 'opportunity' };
  if (leadStages.includes(word) || laterStages.includes(word)) return { lifecyclestage: word };
  return { hs_lead_status: Object.hasOwn(statusWords, word) ? (statusWords[word] ?? '') : word };
};

/** What the stage and the status of a person say in the words of the client. */
export const leadFields = (
  { Id }: { readonly Id: string },
  { lifecyclestage: stage, hs_lead_status: status }: AnyFields,
  leadStages: readonly string[],
): AnyFields => {
  const isConverted = !isLead(stage, leadStages);
  const [known] = Object.entries(statusWords).find(([, word]) => word === status) ?? [];
  return {
    Status: known ?? (status || stage || null),
    IsConverted: isConverted,
    ConvertedContactId: isConverted ? Id : null,
    ConvertedOpportunityId: null,
  };
};

/** Whether a person of this stage is a lead. One without a stage is a contact. */
export const isLead = (stage: unknown, leadStages: readonly string[]): boolean =>
  typeof stage === 'string' && leadStages.includes(stage);
