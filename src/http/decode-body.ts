import { UnexpectedResponseError } from '../core/errors.ts';
import type { HttpRequest } from './request.ts';

/** An answer whose bytes are a text. */
interface Encoded {
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly contentType: string | null | undefined;
}

/**
 * The text of an answer, without a byte order mark: in the charset that the mark or the content type says, else UTF-8.
 * Bytes that aren't of the charset become U+FFFD, which the client reports as drift.
 * Throws `UnexpectedResponseError` for a success in a charset that the platform doesn't know.
 */
export const decodeBody = (
  { operation, readsBytes }: Pick<HttpRequest, 'operation' | 'readsBytes'>,
  { status, bytes, contentType }: Encoded,
): string => {
  const charset = markedCharset(bytes) ?? declaredCharset(contentType);
  if (charset === undefined || readsBytes || bytes.length === 0) return utf8.decode(bytes);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // The status of a refusal says enough.
    if (status >= 300) return utf8.decode(bytes);
    throw new UnexpectedResponseError(`${operation}: the answer is in a charset that can't be read: ${charset}`, {
      operation,
      status,
      outcome: 'unknown',
    });
  }
};

const utf8 = /* @__PURE__ */ new TextDecoder();

/** The byte-order marks of UTF-16; that of UTF-8 needs nothing. */
const markedCharset = ([first, second]: Uint8Array): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
};

/** `undefined` where it's UTF-8. The charset ends up in a message. */
const declaredCharset = (contentType: string | null | undefined): string | undefined => {
  const [, charset] = /;\s*charset\s*=\s*["']?([\w.:+-]{1,40})/i.exec(contentType ?? '') ?? [];
  return charset === undefined || /^utf-?8$/i.test(charset) ? undefined : charset;
};
