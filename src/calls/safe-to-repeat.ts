import { isIntegrationError } from '../errors.ts';

/**
 * Whether a failed write may be sent again without doing it twice: nothing happened, or the API knows it by the key
 * that stands on the error.
 */
export const isSafeToRepeat = (error: unknown): boolean =>
  isIntegrationError(error) && (error.outcome !== 'unknown' || error.idempotencyKey !== undefined);
