import { isClientError } from '../errors.ts';

/** Whether an API doesn't have what it was asked: 404, or 405 for a path that it has with other methods. */
export const isMissingEndpoint = (error: unknown): boolean =>
  isClientError(error) && (error.status === 404 || error.status === 405);
