import { ClientError, IntegrationError } from '../../core/errors.ts';

/** The codes of Salesforce that an application may want to distinguish. There are more, and new ones appear. */
export type SalesforceErrorCode =
  | 'API_DISABLED_FOR_ORG'
  | 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY'
  | 'CANNOT_UPDATE_CONVERTED_LEAD'
  | 'DUPLICATES_DETECTED'
  | 'DUPLICATE_EXTERNAL_ID'
  | 'DUPLICATE_VALUE'
  | 'ENTITY_IS_DELETED'
  | 'FIELD_CUSTOM_VALIDATION_EXCEPTION'
  | 'FIELD_INTEGRITY_EXCEPTION'
  | 'INSUFFICIENT_ACCESS'
  | 'INSUFFICIENT_ACCESS_OR_READONLY'
  | 'INVALID_CROSS_REFERENCE_KEY'
  | 'INVALID_EMAIL_ADDRESS'
  | 'INVALID_FIELD'
  | 'INVALID_FIELD_FOR_INSERT_UPDATE'
  | 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST'
  | 'INVALID_QUERY_FILTER_OPERATOR'
  | 'INVALID_SESSION_ID'
  | 'INVALID_TYPE'
  | 'JSON_PARSER_ERROR'
  | 'MALFORMED_ID'
  | 'MALFORMED_QUERY'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_FOUND'
  | 'REQUEST_LIMIT_EXCEEDED'
  | 'REQUIRED_FIELD_MISSING'
  | 'STRING_TOO_LONG'
  | 'UNABLE_TO_LOCK_ROW'
  | 'UNKNOWN_EXCEPTION'
  | 'UNSUPPORTED_API_VERSION';

/**
 * Returns whether Salesforce refused with this code, as the first reason or a further one.
 *
 * @example
 * if (hasErrorCode(error, 'REQUIRED_FIELD_MISSING')) ask('What is the name of your company?');
 */
export const hasErrorCode = (error: unknown, code: SalesforceErrorCode): boolean =>
  error instanceof IntegrationError && (error.codes?.includes(code) ?? false);

/**
 * A refusal because the record is there already: by a duplicate rule of the org, or by a field that must be unique.
 *
 * @example
 * if (isDuplicate(error)) console.log('known already:', duplicateIds(error)[0]);
 */
export const isDuplicate = (error: unknown): error is ClientError =>
  error instanceof ClientError && duplicateCodes.some((code) => hasErrorCode(error, code));

/**
 * The records that a refused one duplicates, the best match first. Empty if that wasn't the reason, or Salesforce doesn't
 * name them: a rule may hide them from the integration user.
 *
 * @example
 * const [leadId] = duplicateIds(error);
 * if (leadId) await crm.leads.update(leadId, fields);
 */
export const duplicateIds = (error: unknown): readonly string[] => {
  if (!(error instanceof ClientError)) return [];
  const found = error.problems.flatMap(({ code, ids = [] }) => (isDuplicateCode(code) ? ids : []));
  return [...new Set(found)];
};

const duplicateCodes = ['DUPLICATES_DETECTED', 'DUPLICATE_VALUE', 'DUPLICATE_EXTERNAL_ID'] as const;

const isDuplicateCode = (code: string): boolean => (duplicateCodes as readonly string[]).includes(code);

/** A field of the org that a validation rule refused, in the words of the org's administrator. */
export interface RuleRefusal {
  readonly message: string;
  /** Empty when the rule is at the top of the page. */
  readonly fields: readonly string[];
}

/**
 * The messages of the org's validation rules. They're written for the org's own people and may name anything. Show them
 * to a developer; a model gets them only in a tool's result, where they're bounded and masked.
 *
 * @example
 * for (const { message, fields } of ruleRefusals(error)) logger.warn({ fields }, message);
 */
export const ruleRefusals = (error: unknown): readonly RuleRefusal[] =>
  error instanceof ClientError
    ? error.problems
        .filter(({ code }) => code === 'FIELD_CUSTOM_VALIDATION_EXCEPTION')
        .map(({ message = '', fields = [] }) => ({ message, fields }))
    : [];
