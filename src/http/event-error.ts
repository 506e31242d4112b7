import {
  type IntegrationError,
  isAttemptFailedError,
  isAuthenticationError,
  isClientError,
  isIntegrationError,
  isRetriesExhaustedError,
} from '../errors.ts';
import type { EventError } from '../observability/events.ts';

/** What an event may say of an error: codes and a status, no text. */
export const eventError = (error: unknown): EventError => {
  if (!isIntegrationError(error)) return { code: 'internal_error' };
  return { ...described(error), ...(error.codes ? { codes: error.codes } : {}) };
};

const described = (error: IntegrationError): EventError => {
  if (isClientError(error)) return { code: error.code, status: error.status };
  if (isRetriesExhaustedError(error)) return { code: error.code, reason: error.reason };
  if (isAuthenticationError(error) && error.reason !== undefined) return { code: error.code, reason: error.reason };
  if (!isAttemptFailedError(error)) return { code: error.code };
  return {
    code: error.code,
    reason: error.reason,
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(error.networkCode === undefined ? {} : { networkCode: error.networkCode }),
  };
};
