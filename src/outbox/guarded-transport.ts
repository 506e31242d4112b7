import { lookup } from 'node:dns/promises';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { AttemptFailedError } from '../core/errors.ts';
import { networkError, networkFailureOf } from '../http/network-failure.ts';
import { createBodyBuffer, requestIdOf } from '../http/read-answer.ts';
import { type HttpRequest, type HttpResponse, sendableHeaders, type Transport } from '../http/request.ts';
import type { AddressGuard } from './address-guard.ts';

/** Finds the addresses of a host. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

export interface GuardedTransportOptions {
  readonly guard: AddressGuard;
  /** @defaultValue as the system does */
  readonly resolve?: ResolveHost | undefined;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca?: string | undefined;
}

/** A {@link Transport} with connections of its own. */
export interface GuardedTransport {
  readonly send: Transport;
  close(): void;
}

/**
 * Sends only to addresses that the guard allows. Looks the host up for every request, checks all its addresses, and
 * connects to the address that was checked. TLS and `Host` keep the name, so a name whose address changes leads
 * nowhere. Never follows a redirect, and reads only the beginning of an answer. Throws `AttemptFailedError`; its
 * `networkCode` is `ADDRESS_NOT_ALLOWED` if the guard said no.
 */
export const createGuardedTransport = ({
  guard,
  resolve = systemLookup,
  ca,
}: GuardedTransportOptions): GuardedTransport => {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true, ca }),
  };

  const addressesOf = async (request: HttpRequest, url: URL): Promise<readonly string[]> => {
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(hostname)
      ? [hostname]
      : await resolve(hostname).catch((error: unknown) => {
          throw networkError(request, error);
        });
    const isFine = (address: string) => guard.allows(address) && (url.protocol === 'https:' || guard.isOwn(address));
    if (addresses.length === 0 || !addresses.every(isFine)) throw notAllowed(request);
    return addresses;
  };

  const connect = (request: HttpRequest, url: URL, address: string): ClientRequest => {
    const isHttps = url.protocol === 'https:';
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    return (isHttps ? https : http).request({
      // Sockets are kept by address: one that is reused leads to an address that was just checked.
      agent: isHttps ? agents['https:'] : agents['http:'],
      host: address,
      port: url.port || (isHttps ? 443 : 80),
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: { ...sendableHeaders(request.headers), host: url.host },
      servername: isHttps && isIP(hostname) === 0 ? hostname : undefined,
      signal: request.signal,
    });
  };

  return {
    send: async (request) => {
      const url = new URL(request.url);
      let failure: unknown;
      for (const address of await addressesOf(request, url)) {
        try {
          return await exchange(connect(request, url, address), request);
        } catch (error) {
          request.signal.throwIfAborted();
          failure = error;
          // Only where no byte can have left may the next address be tried.
          if (networkFailureOf(error).outcome !== 'not_sent') break;
        }
      }
      throw networkError(request, failure);
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
};

const systemLookup: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

const exchange = (outgoing: ClientRequest, request: HttpRequest): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      readStart(incoming).then((text) => resolve(toHttpResponse(incoming, text, request)), reject);
    });
    outgoing.end(request.body);
  });

/** Acknowledgements are short; what a destination writes beyond this is of no interest. */
const longestAnswer = 64 * 1024;

const readStart = async (incoming: IncomingMessage): Promise<string> => {
  const body = createBodyBuffer();
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    body.append(chunk);
    // Leaving the loop destroys the connection.
    if (body.length >= longestAnswer) break;
  }
  return Buffer.from(body.bytes()).subarray(0, longestAnswer).toString('utf8');
};

const toHttpResponse = (
  { statusCode = 0, headers }: IncomingMessage,
  text: string,
  request: HttpRequest,
): HttpResponse => {
  const byName = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) byName.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return { status: statusCode, headers: byName, text, requestId: requestIdOf((name) => byName.get(name), request) };
};

const notAllowed = ({ operation }: HttpRequest): AttemptFailedError =>
  new AttemptFailedError(
    `${operation}: the address is not on the public internet; name its network in allowNetworks if it is your own`,
    { operation, reason: 'network', networkCode: 'ADDRESS_NOT_ALLOWED', outcome: 'not_sent' },
  );
