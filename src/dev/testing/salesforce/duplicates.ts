import { Refused } from '../refused.ts';
import type { CrmStore } from '../store/crm.ts';
import type { DuplicateSpelling, SalesforceRules } from './options.ts';

/** The org's duplicate rule: a new lead with the e-mail of a contact or of an open lead. */
export const refuseDuplicate = (
  store: CrmStore,
  object: string,
  { Email }: Readonly<Record<string, unknown>>,
  { headers, rules }: { readonly headers: Readonly<Record<string, string>>; readonly rules: SalesforceRules },
): void => {
  if (rules.duplicateRule === 'none' || object !== 'Lead' || typeof Email !== 'string') return;
  const allowSave = rules.duplicateRule === 'alert';
  const isAllowed = /\ballowSave\s*=\s*true\b/i.test(headers['sforce-duplicate-rule-header'] ?? '');
  if (allowSave && isAllowed) return;
  const matches = (['Contact', 'Lead'] as const).flatMap((type) =>
    [...store.records[type].values()]
      .filter((record) => record['IsConverted'] !== true && sameText(record['Email'], Email))
      .map(({ Id }) => ({ type, id: Id })),
  );
  if (matches.length > 0) throw duplicates(matches, { allowSave, spelling: rules.duplicateSpelling });
};

/** A record that a duplicate rule takes for the same person. */
export interface DuplicateMatch {
  readonly type: 'Contact' | 'Lead';
  readonly id: string;
}

/** The refusal that names the records which are there already. */
const duplicates = (
  matches: readonly DuplicateMatch[],
  { allowSave, spelling }: { readonly allowSave: boolean; readonly spelling: DuplicateSpelling },
): Refused =>
  new Refused(400, 'DUPLICATES_DETECTED', 'Use one of these records?', {
    more: { fields: [], [spelling]: duplicateResult(matches, allowSave) },
  });

export const duplicateResult = (matches: readonly DuplicateMatch[], allowSave: boolean) => ({
  allowSave,
  duplicateRule: 'Standard_Lead_Duplicate_Rule',
  duplicateRuleEntityType: 'Lead',
  errorMessage: 'Use one of these records?',
  matchResults: [...new Set(matches.map(({ type }) => type))].map((entityType) => {
    const matching = matches.filter(({ type }) => type === entityType);
    return {
      entityType,
      errors: [],
      matchEngine: 'FuzzyMatchEngine',
      matchRecords: matching.map(({ type, id }) => ({
        additionalInformation: [],
        fieldDiffs: [],
        matchConfidence: 100,
        record: { attributes: { type, url: `/services/data/v60.0/sobjects/${type}/${id}` }, Id: id },
      })),
      rule: `Standard_${entityType}_Match_Rule`,
      size: matching.length,
      success: true,
    };
  }),
});

const sameText = (one: unknown, other: string): boolean =>
  typeof one === 'string' && one.toLowerCase() === other.toLowerCase();
