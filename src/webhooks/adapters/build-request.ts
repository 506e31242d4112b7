import { malformedUrl } from '../peer.ts';

/** A request as a server knows it. */
export interface IncomingParts {
  readonly method: string;
  /** A path with its query, or a whole address. */
  readonly target: string;
  /** The base for paths. */
  readonly base: string;
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly body: () => string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

/**
 * The platform's `Request` of a request. Some can't be held by one: the receiver answers them too, so that it's one place
 * that refuses and reports. A method such as TRACE becomes GET, which gets a 405; an impossible address or header becomes
 * {@link malformedUrl}, which gets a 400. Throws only what `body` throws.
 */
export const buildRequest = ({ method, target, base, headers, body }: IncomingParts): Request => {
  const url = URL.parse(target.replace(/^\/+/, '/'), base);
  const fields = toHeaders(headers);
  if (!url || url.username !== '' || url.password !== '' || !fields) return new Request(malformedUrl);
  if (['GET', 'HEAD'].includes(method)) return new Request(url, { method, headers: fields });
  if (!isRequestMethod(method)) return new Request(url, { headers: fields });
  return new Request(url, { method, headers: fields, body: body(), duplex: 'half' });
};

/** The Fetch standard forbids three, and what is no token (RFC 9110, section 5.6.2) is no method. */
const isRequestMethod = (method: string): boolean =>
  /^[!#$%&'*+.^_`|~\w-]+$/.test(method) && !/^(?:connect|trace|track)$/i.test(method);

const toHeaders = (entries: IncomingParts['headers']): Headers | undefined => {
  const headers = new Headers();
  try {
    for (const [name, value] of entries) headers.append(name, value);
    return headers;
  } catch {
    return undefined;
  }
};
