import { isIntegrationError } from '../errors.ts';
import { networkError } from './network-failure.ts';
import type { Transport } from './request.ts';

/**
 * Lets a transport of the application's own fail as the default one does: whatever it throws that is not an error of
 * this package is a network failure, whose outcome is `unknown` unless it says that no connection was made.
 */
export const adoptTransport =
  (transport: Transport): Transport =>
  async (request) => {
    try {
      return await transport(request);
    } catch (error) {
      if (isIntegrationError(error) || request.signal.aborted) throw error;
      throw networkError(request, error);
    }
  };
