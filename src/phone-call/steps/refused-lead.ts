import { ClientError } from '../../core/errors.ts';

/** Returns whether the CRM's own rules refused a record: it was looked at, and a field is missing or can't be so. */
export const isRuleRefusal = (error: unknown): error is ClientError =>
  error instanceof ClientError &&
  (error.status === 400 || error.status === 422) &&
  error.outcome === 'rejected' &&
  error.problems.some(({ code, fields = [] }) => fields.length > 0 || code === 'FIELD_CUSTOM_VALIDATION_EXCEPTION');

/** The fields that a refusal names, as the CRM calls them. */
export const refusedFields = ({ problems }: ClientError): readonly string[] => [
  ...new Set(problems.flatMap(({ fields = [] }) => fields)),
];
