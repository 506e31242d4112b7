import { Refused } from '../refused.ts';

/** The messaging platform's refusal of one field. */
export const invalidParameter = (field: string, problem: string) =>
  new Refused(400, 'parameter_invalid', `${field} ${problem}`, { field });
