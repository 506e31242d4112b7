import { InvalidArgumentError } from '../errors.ts';

/**
 * Throws `InvalidArgumentError` with `name` as its field for a value that cannot stand in a header as it is: CR, LF,
 * NUL and other control characters, anything beyond Latin-1, and a space at either end, which the network would drop.
 * A secret that was read from a file often ends with a line break; the message says so without repeating it.
 * Source: RFC 9110, section 5.5.
 */
export const assertHeaderValue = (name: string, value: string | undefined): void => {
  if (typeof value === 'string' && usable.test(value)) return;
  if (typeof value !== 'string') throw new InvalidArgumentError(name, 'must be a text');
  if (/[\r\n]/.test(value)) throw new InvalidArgumentError(name, 'must not contain a line break');
  if (notAllowedInValue.test(value))
    throw new InvalidArgumentError(name, 'must not contain control characters or characters beyond Latin-1');
  if (/^[ \t]|[ \t]$/.test(value)) throw new InvalidArgumentError(name, 'must not begin or end with a space');
};

/**
 * Throws `InvalidArgumentError` for a header name that is not a token, such as one with a space or a colon.
 * Source: RFC 9110, section 5.6.2.
 */
export const assertHeaderName = (name: string): void => {
  if (!token.test(name)) throw new InvalidArgumentError('headers', 'must have only names made of letters, digits, "-"');
};

/**
 * The headers as they go to the network, each checked. Those that describe the connection or the length of the body
 * are left out: the transport sets them, and a second opinion is how requests are smuggled.
 */
export const sendableHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const sendable: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    assertHeaderName(name);
    assertHeaderValue(name, value);
    if (!setByTheTransport.has(name.toLowerCase())) sendable[name] = value;
  }
  return sendable;
};

/** Looked at in one go; what is wrong with any other value is found out afterwards. */
const usable = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;

const notAllowedInValue = /[^\t\x20-\x7e\x80-\xff]/;

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const setByTheTransport = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
