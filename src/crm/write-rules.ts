import { InvalidArgumentError } from '../errors.ts';
import { withoutUndefined } from '../without-undefined.ts';

/** What the org's own rules do about a record that is written. Each is sent as a header of Salesforce. */
export interface WriteRules {
  /**
   * Which assignment rule gives a lead, case or account its owner: the active one, none, or one by its id.
   * @defaultValue for a new record the client's, and else what the org says
   */
  readonly assignmentRule?: 'active' | 'none' | { readonly id: string } | undefined;
  /**
   * What duplicate rules do about the record. With `allowSave` it is saved where a rule only warns; a rule that blocks
   * still refuses, and the ids of the others are on the error. @defaultValue for a new record the client's, and else what
   * the org says
   */
  readonly duplicateRule?:
    | {
        readonly allowSave?: boolean | undefined;
        /** Fields of the others too, and not just their ids. */
        readonly includeRecordDetails?: boolean | undefined;
        readonly runAsCurrentUser?: boolean | undefined;
      }
    | undefined;
}

/** The headers that say so. Throws `InvalidArgumentError` for an id that can't be one. */
export const ruleHeaders = (
  object: string,
  { assignmentRule, duplicateRule }: WriteRules,
): Readonly<Record<string, string>> => {
  const settings = Object.entries(withoutUndefined(duplicateRule ?? {})).map(
    ([name, value]) => `${name}=${value ? 'true' : 'false'}`,
  );
  const assignment = assignmentOf(assignmentRule);
  return withoutUndefined({
    'sforce-auto-assign': assigned.includes(object) ? assignment : undefined,
    'sforce-duplicate-rule-header': settings.join('; ') || undefined,
  });
};

/** The objects for which assignment rules exist. */
const assigned: readonly string[] = ['Lead', 'Case', 'Account'];

const assignmentOf = (rule: WriteRules['assignmentRule']): string | undefined => {
  if (rule === undefined) return undefined;
  if (rule === 'active' || rule === 'none') return rule === 'active' ? 'TRUE' : 'FALSE';
  if (typeof rule.id !== 'string' || !/^\w{15,18}$/.test(rule.id))
    throw new InvalidArgumentError('assignmentRule.id', 'must be the id of a rule');
  return rule.id;
};
