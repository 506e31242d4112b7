import type { CustomAttributes } from '../messaging/index.ts';
import { given } from '../given.ts';
import { maskFields } from './mask-fields.ts';

/** What a phone call leaves on the contact, under the names of `callAttributes` in the messaging client. */
export interface CallAttributes {
  /** What kind of end it had, in words of the application: `call_outcome_category`. */
  readonly outcomeCategory?: string | undefined;
  /** A person has to look at it: `escalation_flag`. */
  readonly escalated?: boolean | undefined;
  /** How content the caller seemed, in words of the application: `satisfaction_signal`. */
  readonly satisfaction?: string | undefined;
  /** YYYY-MM-DD: `last_call_date`. */
  readonly lastCallDate?: string | undefined;
  /** Further custom attributes, by their own names. */
  readonly custom?: CustomAttributes | undefined;
}

/** The custom attributes as the workspace knows them. Card numbers are masked; what is not given is left out. */
export const toCustomAttributes = ({
  outcomeCategory,
  escalated,
  satisfaction,
  lastCallDate,
  custom,
}: CallAttributes): CustomAttributes => {
  const all = {
    ...custom,
    last_call_date: lastCallDate,
    call_outcome_category: outcomeCategory,
    escalation_flag: escalated,
    satisfaction_signal: satisfaction,
  };
  return maskFields(given(all));
};
