import type { MatchedBy } from './find-person.ts';
import { isSettled, type StepReport } from './step-report.ts';
import type { RelatedRecords } from './task-fields.ts';

/** The kind of caller, and everything that was written for them. */
export type QualifiedLead = QualifiedAs & {
  /** True once every part is done, or kept for `finish`. */
  readonly complete: boolean;
  /** The parts that could fail while others are done. */
  readonly steps: readonly StepReport<QualifyStep>[];
  /** The records that the phone call's Task is about. */
  readonly related: RelatedRecords;
};

/** A part of `qualifyLead` that may fail alone: a new lead, the update of a lead, the look-up of an owner, the Task. */
export type QualifyStep = 'lead' | 'lead_update' | 'owner' | 'task';

/** The kind of caller, with the ids of their records. */
export type QualifiedAs =
  /** A new person: a new lead. `closedLeadId`: an earlier lead was given up. */
  | { readonly outcome: 'lead_created'; readonly leadId: string; readonly closedLeadId?: string | undefined }
  /** A lead already: it has a Task, or was brought up to date, as `steps` say. */
  | { readonly outcome: 'open_lead'; readonly leadId: string; readonly matchedBy: MatchedBy }
  /** Was a lead once: not touched; the Task is on what it has become, for its owner. */
  | {
      readonly outcome: 'converted_lead';
      readonly leadId: string;
      readonly contactId?: string | undefined;
      readonly opportunityId?: string | undefined;
      readonly ownerId?: string | undefined;
      readonly matchedBy: MatchedBy;
    }
  /** An existing customer: a Task. */
  | { readonly outcome: 'contact_task'; readonly contactId: string; readonly matchedBy: MatchedBy }
  /** An existing customer who wants more: an opportunity. */
  | {
      readonly outcome: 'contact_opportunity';
      readonly contactId: string;
      readonly opportunityId: string;
      readonly matchedBy: MatchedBy;
    }
  /**
   * Several records match the caller's number, and nothing was written: ask for the e-mail address, and qualify again.
   */
  | { readonly outcome: 'ambiguous'; readonly count: number; readonly matchedBy: MatchedBy }
  /**
   * A new person whom the CRM's own rules don't take as a lead: what was learned is on the phone call's Task. `fields` are
   * those that the refusal names, such as one that must be given: ask for it, and qualify again.
   */
  | { readonly outcome: 'lead_refused'; readonly fields: readonly string[] }
  /** A new person at a company that is a customer: an opportunity with it. */
  | { readonly outcome: 'account_opportunity'; readonly accountId: string; readonly opportunityId: string };

/** Adds what all outcomes have in common. */
export const qualifiedLead = (
  as: QualifiedAs,
  related: RelatedRecords,
  steps: QualifiedLead['steps'] = [],
): QualifiedLead => ({
  ...as,
  complete: as.outcome !== 'ambiguous' && steps.every(isSettled),
  steps,
  related,
});
