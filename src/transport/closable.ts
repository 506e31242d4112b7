import { InvalidArgumentError } from '../errors.ts';
import type { HttpRequest, Transport } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';

/** A {@link Transport} with connections of its own, which several clients may share. */
export interface ClosableTransport extends Transport, AsyncDisposable {
  /**
   * Refuses new requests, closes idle connections, and resolves when requests in flight have ended. Clients don't close
   * a transport: several may share it.
   */
  close(): Promise<void>;
}

/** `drain` closes idle connections at once, and the others when they're free. */
export const closable = (
  send: (request: HttpRequest) => Promise<HttpResponse>,
  drain: () => void,
): ClosableTransport => {
  const ended = Promise.withResolvers<void>();
  let inFlight = 0;
  let isClosed = false;

  const transport = async (request: HttpRequest): Promise<HttpResponse> => {
    if (isClosed) throw new InvalidArgumentError('transport', 'is closed', { operation: request.operation });
    inFlight += 1;
    try {
      return await send(request);
    } finally {
      inFlight -= 1;
      if (isClosed && inFlight === 0) end();
    }
  };

  const end = () => {
    // What was in flight may have opened connections of another kind since.
    drain();
    ended.resolve();
  };

  const close = (): Promise<void> => {
    isClosed = true;
    if (inFlight === 0) end();
    else drain();
    return ended.promise;
  };

  return Object.assign(transport, { close, [Symbol.asyncDispose]: close });
};
