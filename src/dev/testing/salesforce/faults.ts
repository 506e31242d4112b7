import { checkOptions, oneOf } from '../../../core/option-checks.ts';
import type { StatusFault } from '../faults.ts';
import { type DuplicateMatch, duplicateResult } from './duplicates.ts';
import type { DuplicateSpelling } from './options.ts';

const refused = (status: number, errorCode: string, message: string, more: object = {}): StatusFault => ({
  status,
  body: [{ message, errorCode, ...more }],
});

/**
 * Faults of a real org for `platform.fault`, in its own words.
 *
 * @example
 * platform.fault('crm.leads.create', [salesforceFaults.lockedRow, 'ok']);
 * platform.fault('crm.oauth.token', [salesforceFaults.refusedGrant]);
 */
export const salesforceFaults: {
  /** 401: the session ended; a new token works. */
  readonly expiredSession: StatusFault;
  /** 401: this token will never work. */
  readonly finalSession: StatusFault;
  /** 400 of the token endpoint: the refresh token or assertion is refused. */
  readonly refusedGrant: StatusFault;
  /** 403: the requests of 24 hours are used up. */
  readonly dailyLimit: StatusFault;
  /** 403: too many long requests at the same time. */
  readonly concurrentLimit: StatusFault;
  /** 400 although it passes: another writer holds the record. */
  readonly lockedRow: StatusFault;
  /** 410: the version is gone. */
  readonly retiredVersion: StatusFault;
  /** 500 */
  readonly unknownException: StatusFault;
  /** 400: a duplicate rule found these. */
  readonly duplicates: (matches: readonly DuplicateMatch[], spelling?: DuplicateSpelling) => StatusFault;
  /** 400: a validation rule of the org's administrator. */
  readonly validationRule: (message: string, fields?: readonly string[]) => StatusFault;
} = {
  expiredSession: refused(401, 'INVALID_SESSION_ID', 'Session expired or invalid'),
  finalSession: refused(401, 'INVALID_SESSION_ID', 'This session is not valid for use with the REST API'),
  refusedGrant: { status: 400, body: { error: 'invalid_grant', error_description: 'expired access/refresh token' } },
  dailyLimit: {
    ...refused(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
    headers: { 'Sforce-Limit-Info': 'api-usage=15000/15000' },
  },
  concurrentLimit: refused(403, 'REQUEST_LIMIT_EXCEEDED', 'ConcurrentPerOrgLongTxn Limit exceeded.'),
  lockedRow: refused(400, 'UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access to this record', { fields: [] }),
  retiredVersion: refused(410, 'UNSUPPORTED_API_VERSION', 'The requested resource is no longer available'),
  unknownException: refused(500, 'UNKNOWN_EXCEPTION', 'An unexpected error occurred'),
  duplicates: (matches, spelling = 'duplicateResult') => {
    oneOf(spelling, 'spelling', ['duplicateResult', 'duplicateResut'])();
    checkOptions(
      'matches',
      matches.map(({ type }, index) => oneOf(type ?? null, `${index}.type`, ['Contact', 'Lead'])),
    );
    return refused(400, 'DUPLICATES_DETECTED', 'Use one of these records?', {
      fields: [],
      [spelling]: duplicateResult(matches, true),
    });
  },
  validationRule: (message, fields = []) => refused(400, 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message, { fields }),
};
