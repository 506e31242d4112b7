import { AttemptFailedError, type IntegrationError } from '../../src/core/errors.ts';

/** Returns a transport's error in short. */
export const networkSummary = (error: IntegrationError) =>
  error instanceof AttemptFailedError
    ? { reason: error.reason, networkCode: error.networkCode, outcome: error.outcome }
    : { code: error.code, message: error.message, outcome: error.outcome };
