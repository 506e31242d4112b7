import { InvalidArgumentError } from '../core/errors.ts';
import { readSetting, type Setting } from '../core/setting.ts';

/**
 * Reads the base address of an API. Refuses one to which a credential must not be sent: plain http to another machine
 * (unless `allowInsecure`), user info, a query or a fragment. Throws `InvalidArgumentError` that names `field` and does
 * not repeat the address, which may hold a password.
 */
export const parseBaseUrl = (
  setting: Setting,
  { allowInsecure = false, field = 'baseUrl' }: { allowInsecure?: boolean | undefined; field?: string } = {},
): URL => {
  const refuse = (problem: string): never => {
    throw new InvalidArgumentError(field, problem);
  };
  const text = readSetting(field, setting);
  // The URL parser drops line breaks and takes a backslash for a slash: neither is what was meant.
  if (typeof text !== 'string' || unsafeInUrls.test(text) || !URL.canParse(text))
    return refuse('must be an absolute URL such as https://api.example.com');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return refuse('must be an https URL, such as https://api.example.com, or http://localhost:3000 on this machine');
  if (!allowInsecure && isPlainHttp(url))
    return refuse('must be an https URL, unless it is on loopback or allowInsecure is set');
  if (url.username !== '' || url.password !== '') return refuse('must not contain a user name or password');
  if (text.includes('?') || text.includes('#')) return refuse('must not contain a query or a fragment');
  return url;
};

/** Plain http to another machine. */
export const isPlainHttp = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && !isLoopback(hostname);

/** This machine. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** Spaces, backslashes and control characters. */
export const unsafeInUrls = /[\s\\\u0000-\u001f\u007f]/;
