import { type IntegrationError, isAttemptFailedError } from '../../src/errors.ts';

/** What a transport's error says, in short. */
export const networkSummary = (error: IntegrationError) =>
  isAttemptFailedError(error)
    ? { reason: error.reason, networkCode: error.networkCode, outcome: error.outcome }
    : { code: error.code, message: error.message, outcome: error.outcome };
