import { Refused } from '../refused.ts';

/** A rule of the account's administrator, which HubSpot checks on its paths of 2026-09 and later. */
export interface FakeHubSpotRule {
  /** The object, in HubSpot's word, such as `contacts`. */
  readonly object: string;
  /** Properties that must be there: of a new record, or with `when` of any that has this value. */
  readonly requires?: readonly string[] | undefined;
  /** The rule holds for records with this value alone, and for changes of them too. @defaultValue new records */
  readonly when?: { readonly property: string; readonly value: string } | undefined;
  /** The form of a property's value. */
  readonly format?: { readonly property: string; readonly matches: RegExp } | undefined;
}

/**
 * Checks what a record will be against the account's rules. `changed` are the properties of an update; a new record has
 * none. Throws `Refused` as https://developers.hubspot.com/changelog/crm-api-write-validation-enforcement says
 * (2026-08-11).
 */
export const assertRules = (
  rules: readonly FakeHubSpotRule[],
  type: string,
  values: Readonly<Record<string, string | null>>,
  changed: Readonly<Record<string, string | null>>,
): void => {
  const isNew = Object.keys(changed).length === 0;
  for (const { object, requires = [], when, format } of rules) {
    if (object !== type) continue;
    const wrong = format && values[format.property] && !format.matches.test(values[format.property] ?? '');
    if (wrong) {
      const message = `${format.property} does not meet the validation rules`;
      const detail = JSON.stringify([{ name: format.property, error: 'INVALID_FORMAT', message }]);
      throw new Refused(400, 'VALIDATION_ERROR', `Property values were not valid: ${detail}`);
    }
    if (when ? values[when.property] !== when.value : !isNew) continue;
    const missing = requires.filter((name) => !values[name]);
    if (missing.length === 0) continue;
    const code = when ? 'MISSING_CONDITIONAL_REQUIRED_PROPERTY' : 'MISSING_REQUIRED_PROPERTY';
    const message = `Required properties are missing: ${missing.join(', ')}`;
    throw new Refused(400, 'VALIDATION_ERROR', message, {
      more: { errors: [{ message, code, context: { propertyName: missing } }] },
    });
  }
};
