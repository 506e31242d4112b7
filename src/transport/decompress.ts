import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

/** The codings that {@link decompress} knows, as `Accept-Encoding` says them. */
export const acceptedEncodings = 'gzip, deflate, br';

/** One more is an attack, not a compression. */
const mostEncodings = 5;

/**
 * Undoes the codings that `Content-Encoding` names, last first (RFC 9110, section 8.4). Nothing larger than
 * `maximumBytes` comes into being on the way. A coding that is not known is left as it is.
 * Throws the error of `node:zlib`, also for a body that is cut off; {@link isOverCap} knows the one for a large one.
 */
export const decompress = async (body: Buffer, encoding: string, maximumBytes: number): Promise<Buffer> => {
  const encodings = encoding
    .toLowerCase()
    .split(',', mostEncodings + 1)
    .toReversed();
  if (encodings.length > mostEncodings)
    throw Object.assign(new Error('too many encodings'), { code: 'TOO_MANY_ENCODINGS' });
  let decoded = body;
  for (const name of encodings) {
    const decode = decoders.get(name.trim());
    if (decode && decoded.length > 0) decoded = await decode(decoded, { maxOutputLength: maximumBytes });
  }
  return decoded;
};

export const isOverCap = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const fromGzip: Decode = promisify(gunzip);
const fromDeflate: Decode = promisify(inflate);
const fromRawDeflate: Decode = promisify(inflateRaw);

/** Half of the servers that say deflate leave the zlib header out, whose first byte ends in 8 (RFC 1950). */
const fromEitherDeflate: Decode = (body, options) =>
  ((body[0] ?? 0) & 0x0f) === 8 ? fromDeflate(body, options) : fromRawDeflate(body, options);

const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', fromGzip],
  ['x-gzip', fromGzip],
  ['deflate', fromEitherDeflate],
  ['br', promisify(brotliDecompress)],
]);
