import { type ConsoleSecrets, isSame } from './secrets.ts';

/** The decision about a request before its body is read. */
export type Admission =
  | { readonly type: 'admitted' }
  /** It carries the token of the printed URL: it gets the cookie and is sent to the address without the token. */
  | { readonly type: 'sign-in' }
  | Refused;

/** Not let in, and why. */
export interface Refused {
  readonly type: 'refused';
  readonly status: 401 | 403;
  readonly reason: RefusalReason;
}

export type RefusalReason = 'not_loopback' | 'foreign_host' | 'foreign_origin' | 'no_token' | 'no_page_token';

/**
 * Decides who may come in: only this machine, only under a name of this machine, only from the console's own page, only
 * with the token. A foreign page whose own name resolves to 127.0.0.1 (DNS rebinding) fails at the name.
 *
 * @param address the other end of the connection, where the server knows it
 */
export const admit = (request: Request, secrets: ConsoleSecrets, address: string | undefined): Admission => {
  const { headers, method } = request;
  const url = new URL(request.url);
  if (address !== undefined && !isLoopbackAddress(address)) return refused(403, 'not_loopback');
  // A proxied request says so. A proxy of this machine may be in between, such as that of a development server.
  if (listOf(headers.get('x-forwarded-for')).some((hop) => !isLoopbackAddress(hop)))
    return refused(403, 'not_loopback');
  if (!forwardedOf(headers).every(isLoopbackHost)) return refused(403, 'not_loopback');
  const hosts = [headers.get('host') ?? url.host, ...listOf(headers.get('x-forwarded-host'))];
  if (!hosts.every(isLoopbackHost)) return refused(403, 'foreign_host');
  if (!isOwnOrigin(headers, hosts)) return refused(403, 'foreign_origin');

  const isAuthorized = isSame(bearerOf(headers), secrets.token);
  if (method === 'GET' && isSame(url.searchParams.get('token'), secrets.token)) return { type: 'sign-in' };
  if (!isAuthorized && !isSame(cookieOf(headers, secrets.cookie.name), secrets.cookie.value))
    return refused(401, 'no_token');
  if (
    method !== 'GET' &&
    method !== 'HEAD' &&
    !isAuthorized &&
    !isSame(headers.get('x-console-token'), secrets.pageToken)
  )
    return refused(403, 'no_page_token');
  return { type: 'admitted' };
};

const refused = (status: 401 | 403, reason: RefusalReason): Refused => ({ type: 'refused', status, reason });

/** A browser says where a request comes from; a command line says nothing. */
const isOwnOrigin = (headers: Headers, hosts: readonly string[]): boolean => {
  const origin = headers.get('origin');
  if (origin !== null && !hosts.some((host) => origin === `http://${host}` || origin === `https://${host}`))
    return false;
  // Another port of this machine is the same site to cookies. Following a link to the printed URL is no such request.
  const site = headers.get('sec-fetch-site');
  return site === null || site === 'same-origin' || site === 'none' || headers.get('sec-fetch-mode') === 'navigate';
};

const isLoopbackHost = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host);

const isLoopbackAddress = (address: string): boolean =>
  /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(address);

const listOf = (header: string | null): readonly string[] =>
  header === null ? [] : header.split(',').map((entry) => entry.trim());

/** Whom a proxy speaks for, and the name it was asked by: RFC 7239, section 4. */
const forwardedOf = (headers: Headers): readonly string[] =>
  [...(headers.get('forwarded') ?? '').matchAll(/(?:^|[;,\s])(?:for|host)="?([^;,"\s]*)/gi)].map(
    ([, value = '']) => value,
  );

const bearerOf = (headers: Headers): string | undefined =>
  /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];

const cookieOf = (headers: Headers, name: string): string | undefined =>
  (headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
