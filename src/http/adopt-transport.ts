import { IntegrationError, InvalidArgumentError, UnexpectedResponseError } from '../core/errors.ts';
import { attemptLog, withLog } from './call-log.ts';
import { networkError } from './network-failure.ts';
import type { HttpRequest, HttpResponse, Middleware, Transport } from './request.ts';

/**
 * Lets a transport of the application fail as the default one does. An error that isn't of this package is a network
 * failure; its outcome is `unknown` unless it says that no connection was made. An answer that isn't an
 * {@link HttpResponse} is an `UnexpectedResponseError`.
 */
export const adoptTransport = (transport: Transport): Transport => {
  if (typeof transport !== 'function') throw new InvalidArgumentError('transport', 'must be a function');
  return async function yourTransport(request) {
    let response: unknown;
    try {
      response = await transport(request);
    } catch (error) {
      if (error instanceof IntegrationError || request.signal.aborted) throw error;
      throw networkError(request, error);
    }
    return assertResponse(request, response, 'transport');
  };
};

/** Checks what a middleware of yours returns. A request that it builds itself keeps the log of the call. */
export const adoptMiddleware = (middleware: Middleware, where: 'perRequest' | 'perAttempt'): Middleware => {
  if (typeof middleware !== 'function')
    throw new InvalidArgumentError(`middleware.${where}`, 'must be a list of functions');
  return async function yourMiddleware(request, next) {
    const log = attemptLog(request);
    const response = await middleware(request, (changed) => next(withLog(changed, log)));
    return assertResponse(request, response, `${where} middleware ${middleware.name}`.trim());
  };
};

const assertResponse = ({ operation }: HttpRequest, response: unknown, who: string): HttpResponse => {
  if (isResponse(response)) return response;
  throw new UnexpectedResponseError(
    `${operation}: your ${who} returned no response; return { status, headers: a Map, text }`,
    { operation },
  );
};

const isResponse = (response: unknown): response is HttpResponse => {
  if (typeof response !== 'object' || response === null) return false;
  const { status, headers, text } = response as Partial<Record<keyof HttpResponse, unknown>>;
  // A Map of another realm is one too.
  const isMap = typeof headers === 'object' && headers !== null && 'get' in headers && Symbol.iterator in headers;
  return Number.isInteger(status) && isMap && typeof text === 'string';
};
