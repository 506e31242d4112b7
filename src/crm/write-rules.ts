import { assertKnown, flag, must, oneOf, type OptionNames } from '../core/option-checks.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

/** The org's own rules for a record that is written. Each is sent as a header of Salesforce. */
export interface WriteRules {
  /**
   * The assignment rule that gives a lead, case or account its owner: the active one, none, or one by its id.
   * @defaultValue for a new record the client's, and else what the org says
   */
  readonly assignmentRule?: 'active' | 'none' | { readonly id: string } | undefined;
  /**
   * The duplicate rules for the record. With `allowSave` it's saved if a rule only warns. A rule that blocks still
   * refuses, and the error has the ids of the others.
   * @defaultValue for a new record the client's, and else what the org says
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
  assertKnown(duplicateRule, duplicateRuleNames, 'duplicateRule');
  const settings = Object.entries(withoutUndefined(duplicateRule ?? {})).map(([name, value]) => {
    flag(value, `duplicateRule.${name}`)();
    return `${name}=${value}`;
  });
  const assignment = assignmentOf(assignmentRule);
  return withoutUndefined({
    'sforce-auto-assign': assigned.includes(object) ? assignment : undefined,
    'sforce-duplicate-rule-header': settings.join('; ') || undefined,
  });
};

const duplicateRuleNames: OptionNames<NonNullable<WriteRules['duplicateRule']>> = {
  allowSave: true,
  includeRecordDetails: true,
  runAsCurrentUser: true,
};

/** The objects for which assignment rules exist. */
const assigned: readonly string[] = ['Lead', 'Case', 'Account'];

const assignmentOf = (rule: WriteRules['assignmentRule']): string | undefined => {
  if (rule === undefined) return undefined;
  if (rule === 'active' || rule === 'none') return rule === 'active' ? 'TRUE' : 'FALSE';
  if (typeof rule === 'object' && rule !== null) {
    must(/^\w{15,18}$/.test(rule.id), 'assignmentRule.id', 'must be the id of a rule')();
    return rule.id;
  }
  return void oneOf<string>(rule, 'assignmentRule', ['active', 'none'], '{ id }, the id of a rule')();
};
