import { InvalidArgumentError } from '../core/errors.ts';
import { parseJson } from '../stores/ports/json.ts';
import { readStream } from '../http/read-answer.ts';
import { toBytes } from '../signature/raw-body.ts';
import { settleWithin } from '../core/timers.ts';
import { Refusal } from './answer.ts';

export interface BodyLimits {
  readonly maximumBytes: number;
  /** The time for the whole body to arrive. */
  readonly timeMs: number;
}

/**
 * Reads the raw bytes, up to the limits. Throws {@link Refusal} beyond them, and `InvalidArgumentError` with the fix when
 * a body parser ran first.
 */
export const readBody = async (request: Request, { maximumBytes, timeMs }: BodyLimits): Promise<Uint8Array> => {
  if (request.bodyUsed) toBytes(undefined);
  if (Number(request.headers.get('content-length') ?? 0) > maximumBytes) throw tooLarge();
  if (!request.body) return new Uint8Array();
  const { body } = request;
  const late = () => new Refusal('malformed_body', 'body_too_slow');
  try {
    return await settleWithin((signal) => readStream(body, { maximumBytes, tooLarge, signal }), {
      deadline: timeMs,
      late,
    });
  } catch (error) {
    if (error instanceof Refusal || error instanceof InvalidArgumentError) throw error;
    throw new Refusal('malformed_body', 'body_cut_off', { cause: error });
  }
};

const tooLarge = () => new Refusal('body_too_large', 'body_too_large');

/**
 * Parses a body. Throws {@link Refusal} unless it's JSON in UTF-8, without compression. A sender may leave the type out,
 * and must not say another one.
 */
export const parseBody = (bytes: Uint8Array, headers: Headers): unknown => {
  const [type = '', ...parameters] = (headers.get('content-type') || 'application/json').toLowerCase().split(';');
  const isUtf8 = parameters.every(
    (parameter) => !/^\s*charset=/.test(parameter) || /=\s*"?utf-?8"?\s*$/.test(parameter),
  );
  if (!/^application\/(?:[\w.-]+\+)?json\s*$/.test(type.trim()) || !isUtf8)
    throw new Refusal('unsupported_media_type', 'not_json');
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') throw new Refusal('unsupported_media_type', 'compressed');
  try {
    const parsed = parseJson(decoder.decode(bytes));
    if (parsed !== undefined) return parsed;
  } catch (cause) {
    throw new Refusal('malformed_body', 'body_not_json', { cause });
  }
  throw new Refusal('malformed_body', 'body_empty');
};

const decoder = new TextDecoder('utf-8', { fatal: true });
