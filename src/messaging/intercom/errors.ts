import { ClientError, IntegrationError } from '../../core/errors.ts';

/** Intercom's codes of refusals and failures. Newer versions may have more. */
export type IntercomErrorCode =
  | 'action_forbidden'
  | 'admin_not_found'
  | 'api_plan_restricted'
  | 'assignee_not_found'
  | 'bad_request'
  | 'client_error'
  | 'company_not_found'
  | 'conflict'
  | 'contact_merged'
  | 'data_invalid'
  | 'forbidden'
  | 'intercom_version_invalid'
  | 'missing_parameter'
  | 'not_found'
  | 'parameter_invalid'
  | 'parameter_missing'
  | 'parameter_not_found'
  | 'rate_limit_exceeded'
  | 'request_timeout'
  | 'resource_conflict'
  | 'server_error'
  | 'service_unavailable'
  | 'tag_not_found'
  | 'team_not_found'
  | 'token_unauthorized'
  | 'too_many_requests'
  | 'type_mismatch'
  | 'unauthorized'
  | 'unprocessable_entity'
  | 'unsupported';

/**
 * Returns `true` if Intercom gave one of these codes as the reason of an error.
 *
 * @example
 * if (hasIntercomCode(error, 'api_plan_restricted')) showUpgrade();
 */
export const hasIntercomCode = (error: unknown, ...codes: readonly IntercomErrorCode[]): boolean =>
  error instanceof IntegrationError && codes.some((code) => error.codes?.includes(code) === true);

/** A contact that is no longer there under its id. */
export type GoneContact =
  /** It is part of another one now, whose id is `into` where Intercom says it. */
  | { readonly gone: 'merged'; readonly into: string | undefined }
  /** It was archived or deleted. */
  | { readonly gone: 'archived' };

/**
 * Returns what became of a contact, if an error is about one that's gone; otherwise `undefined`. The client follows a
 * merge by itself, so that `merged` is left only where Intercom doesn't say into which contact.
 *
 * @example
 * const gone = goneContact(error);
 * if (gone?.gone === 'archived') await forget(contactId);
 */
export const goneContact = (error: unknown): GoneContact | undefined => {
  if (!(error instanceof ClientError) || !isAboutContact(error)) return undefined;
  const merged = error.problems.find(({ code }) => code === 'contact_merged');
  if (merged) return { gone: 'merged', into: merged.ids?.[0] };
  return error.status === 410 ? { gone: 'archived' } : undefined;
};

const isAboutContact = ({ operation }: ClientError): boolean =>
  /^messaging\.(?:contacts|companies\.listForContact|conversations\.create)/.test(operation);
