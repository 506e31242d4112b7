import { InvalidArgumentError } from '../errors.ts';

/**
 * Reads the base address of an API and refuses one to which a credential must not be sent: plain http to another
 * machine (unless `allowInsecure`), user info, a query or a fragment.
 * Throws `InvalidArgumentError` that names `field` and does not repeat the address, which may hold a password.
 */
export const parseBaseUrl = (
  text: string,
  { allowInsecure = false, field = 'baseUrl' }: { allowInsecure?: boolean | undefined; field?: string } = {},
): URL => {
  const refuse = (problem: string): never => {
    throw new InvalidArgumentError(field, problem);
  };
  // The URL parser drops line breaks and takes a backslash for a slash: neither is what was meant.
  if (typeof text !== 'string' || unsafeInUrls.test(text) || !URL.canParse(text))
    return refuse('must be an absolute URL such as https://api.example.com');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('must be an https URL');
  if (url.protocol === 'http:' && !allowInsecure && !isLoopback(url.hostname))
    return refuse('must be an https URL, unless it is on loopback or allowInsecure is set');
  if (url.username !== '' || url.password !== '') return refuse('must not contain a user name or password');
  if (text.includes('?') || text.includes('#')) return refuse('must not contain a query or a fragment');
  return url;
};

/**
 * Appends a path and a query to a base address and keeps the base's own path: `https://x.test/v1` and `payments` give
 * `https://x.test/v1/payments`. Values that are `undefined` are left out.
 * Throws `InvalidArgumentError` for a path that would leave the base: an absolute URL, `..`, a query of its own.
 */
export const joinUrl = (
  base: Pick<URL, 'origin' | 'pathname'>,
  path: string,
  query?: Readonly<Record<string, string | number | boolean | undefined>>,
): string => {
  assertRelativePath(path);
  const { origin, pathname } = base;
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  const address = `${origin}${folder}${path.startsWith('/') ? path.slice(1) : path}`;
  return query === undefined ? address : address + queryString(query);
};

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

const unsafeInUrls = /[\s\\\u0000-\u001f\u007f]/;

/** Most paths are these characters, and no word of them is dangerous. */
const plainPath = /^[\w-][\w/-]*$/;

const assertRelativePath = (path: string): void => {
  if (typeof path === 'string' && plainPath.test(path)) return;
  const refuse = (problem: string): never => {
    throw new InvalidArgumentError('path', problem);
  };
  if (typeof path !== 'string' || !path.isWellFormed()) return refuse('must be well-formed text');
  if (/^\/\/|^[a-z][a-z0-9+.-]*:/i.test(path)) return refuse('must be relative to the base address');
  if (unsafeInUrls.test(path)) return refuse('must not contain spaces, control characters or backslashes');
  if (/[?#]/.test(path)) return refuse('must not contain "?" or "#"; a query is given as query');
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return refuse('must not contain "." or ".." as a segment');
};

const queryString = (query: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(queryValue(name, value))}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

const queryValue = (name: string, value: string | number | boolean): string => {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new InvalidArgumentError(`query.${name}`, 'must be a finite number');
  const text = String(value);
  if (!text.isWellFormed()) throw new InvalidArgumentError(`query.${name}`, 'must be well-formed Unicode');
  return text;
};
