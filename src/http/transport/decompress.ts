import { pipeline, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** The codings that {@link decompress} knows, for `Accept-Encoding`. */
export const acceptedEncodings = 'gzip, deflate, br';

/**
 * Undoes the codings that `Content-Encoding` names as the bytes arrive, the last one first (RFC 9110, section 8.4). Leaves
 * an unknown one as it is. Calls `failed` for a body that can't be unpacked, such as one that is cut off.
 */
export const decompress = (body: Readable, encoding: string, failed: (error: unknown) => void): Readable => {
  const names = encoding.toLowerCase().split(',', mostEncodings + 1);
  if (names.length > mostEncodings) {
    failed(Object.assign(new Error('too many codings'), { code: 'TOO_MANY_ENCODINGS' }));
    return body;
  }
  const decoders = names.toReversed().flatMap((name) => createDecoder.get(name.trim())?.() ?? []);
  const last = decoders.at(-1);
  if (!last) return body;
  for (const decoder of decoders) decoder.on('error', failed);
  pipeline([body, ...decoders], (error) => error && failed(error));
  return last;
};

/** One more is an attack, not a compression. */
const mostEncodings = 5;

/** Half of the servers that say deflate leave out the zlib header, whose first byte ends in 8 (RFC 1950). */
const createEitherInflate = (): Transform => {
  let inflate: Transform | undefined;
  const start = (firstByte: number | undefined): Transform =>
    ((firstByte ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
  const either = new Transform({
    transform: (chunk: Buffer, _encoding, next) => {
      inflate ??= start(chunk[0])
        .on('data', (data) => either.push(data))
        .on('error', (error) => either.destroy(error));
      inflate.write(chunk, next);
    },
    flush: (done) => void (inflate ? inflate.once('end', done).end() : done()),
    destroy: (error, done) => {
      inflate?.destroy();
      done(error);
    },
  });
  return either;
};

const createDecoder: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createEitherInflate],
  ['br', createBrotliDecompress],
]);
