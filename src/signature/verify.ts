import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidArgumentError } from '../core/errors.ts';
import { type Bytes, isRequest, type RawBody, readRequest, toBytes } from './raw-body.ts';
import { assertSecret, readSecrets, type Secret } from '../core/secret.ts';
import { assertScheme, frameOf, type SignatureScheme, xSignature } from './scheme.ts';
import { toKey } from './secrets.ts';
import { isDeliveryId } from './sign.ts';

/** The reason why a signature was refused: for logs, not for the sender. */
export type SignatureProblem = 'missing' | 'malformed' | 'too_old' | 'too_new' | 'mismatch' | 'no_secret';

/** The result of a verification. */
export type Verdict =
  | {
      readonly valid: true;
      /** The place of the secret that fits; above 0, the sender uses an old one. */
      readonly secretIndex: number;
      /** The signed id of the delivery, where the scheme has one. */
      readonly id?: string | undefined;
      /** The signed time in milliseconds since 1970, where the scheme has one. */
      readonly signedAt?: number | undefined;
    }
  | { readonly valid: false; readonly reason: SignatureProblem };

/** The headers, secrets and scheme that prove a delivery. */
export interface VerifyOptions {
  readonly headers: HeaderSource;
  /** Functions that read the secrets, as in `hmac`, the newest first: several of them during a rotation. */
  readonly secrets: Secret;
  /** @defaultValue {@link xSignature} */
  readonly scheme?: SignatureScheme | undefined;
  /** The distance of the signed time from now, in the past or in the future, where the scheme has one. @defaultValue 300000 */
  readonly toleranceMs?: number | undefined;
}

/**
 * Returns whether the sender signed a delivery: its raw bytes, and headers unless the body is a `Request`, which is then
 * read. An empty body and invalid UTF-8 may be signed too.
 * Throws `InvalidArgumentError` for what a body parser left, naming the fix, and for a literal or unusable secret.
 *
 * @example
 * const { valid } = await verifySignature(rawBody, { headers: request.headers, secrets: fromEnv('HOOK_SECRET') });
 */
export const verifySignature = async (
  body: RawBody,
  options: Omit<VerifyOptions, 'headers'> & Partial<Pick<VerifyOptions, 'headers'>>,
): Promise<Verdict> => {
  const headers = options.headers ?? (isRequest(body) ? body.headers : undefined);
  if (!headers) throw new InvalidArgumentError('headers', 'must be given unless the body is a Request');
  assertSecret('secrets', options.secrets);
  assertScheme(options.scheme ?? xSignature);
  const bytes = isRequest(body) ? await readRequest(body) : toBytes(body);
  return verifyBytes(bytes, { ...options, headers, secrets: await readSecrets('secrets', options.secrets) });
};

/**
 * {@link verifySignature} for bytes. Compares in constant time and throws only for an unusable secret
 * (`InvalidArgumentError`), whatever the headers and the bytes are.
 */
export const verifyBytes = (
  body: Bytes,
  {
    headers,
    secrets,
    scheme = xSignature,
    toleranceMs = 300_000,
  }: Omit<VerifyOptions, 'secrets'> & { readonly secrets: readonly string[] },
): Verdict => {
  const claim = readClaim(scheme, headers);
  if (typeof claim === 'string') return refused(claim);
  const { id, signedAt, timestamp } = claim;
  const age = signedAt === undefined ? 0 : Date.now() - signedAt;
  if (age > toleranceMs) return refused('too_old');
  if (age < -toleranceMs) return refused('too_new');
  if (secrets.length === 0) return refused('no_secret');
  const { before, after } = frameOf(scheme, { id: id ?? '', timestamp });
  const secretIndex = secrets.findIndex((secret) => {
    const hmac = createHmac(scheme.algorithm, toKey(secret, scheme)).update(before).update(body).update(after).digest();
    const isBase64 = isAmong(claim.signatures, hmac.toString('base64'));
    return isBase64 || (scheme.encoding === 'hex' && isAmong(claim.signatures.map(lowerCase), hmac.toString('hex')));
  });
  return secretIndex < 0 ? refused('mismatch') : { valid: true, secretIndex, id, signedAt };
};

/** Hex has no case. In base64, the text differs in length from hex, so a sender of either can be believed. */
const lowerCase = (text: string): string => text.toLowerCase();

const refused = (reason: SignatureProblem): Verdict => ({ valid: false, reason });

/** The claims of the headers; nothing of it is believed yet. */
interface SignatureClaim {
  readonly signatures: readonly string[];
  /** The time as it is signed. */
  readonly timestamp: string;
  readonly signedAt: number | undefined;
  readonly id: string | undefined;
}

const readClaim = (scheme: SignatureScheme, headers: HeaderSource): SignatureClaim | 'missing' | 'malformed' => {
  const value = headerValue(headers, scheme.header);
  if (value === undefined || value === '') return 'missing';
  const entries = scheme.separator === undefined ? [value] : value.split(scheme.separator);
  const signatures = behind(scheme.label, entries);
  if (signatures.length === 0) return 'malformed';
  const { timestamp, idHeader } = scheme;
  const id = idHeader === undefined ? undefined : headerValue(headers, idHeader);
  if (idHeader !== undefined && id === undefined) return 'missing';
  if (id !== undefined && !isDeliveryId(id)) return 'malformed';
  if (!timestamp) return { signatures, timestamp: '', signedAt: undefined, id };

  const moments = 'label' in timestamp ? behind(timestamp.label, entries) : [headerValue(headers, timestamp.header)];
  const [moment, ...more] = moments;
  if (moment === undefined) return 'missing';
  const signedAt = timeOf(moment, timestamp.unit);
  if (more.length > 0 || Number.isNaN(signedAt)) return 'malformed';
  return { signatures, timestamp: moment, signedAt, id };
};

const behind = (label: string, entries: readonly string[]): readonly string[] => {
  const found: string[] = [];
  for (const entry of entries) if (entry.startsWith(label)) found.push(entry.slice(label.length));
  return found;
};

/** The texts are compared, not what they decode to: base64 has several spellings of the same bytes. */
const isAmong = (signatures: readonly string[], expected: string): boolean => {
  const wanted = Buffer.from(expected, 'latin1');
  let found = false;
  for (const signature of signatures) {
    if (signature.length !== expected.length) continue;
    const claimed = Buffer.from(signature);
    // What is not ASCII is longer as bytes.
    if (claimed.length === wanted.length && timingSafeEqual(claimed, wanted)) found = true;
  }
  return found;
};

/** Reads a time in milliseconds since 1970; `NaN` for what isn't written as the scheme says. */
const timeOf = (moment: string, unit: NonNullable<SignatureScheme['timestamp']>['unit']): number => {
  if (unit === 'iso-8601')
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(moment) ? Date.parse(moment) : Number.NaN;
  return /^\d{1,15}$/.test(moment) ? Number(moment) * (unit === 'seconds' ? 1000 : 1) : Number.NaN;
};

/** Headers as any framework holds them: the platform's `Headers`, Node's object, a map. */
export type HeaderSource =
  | { readonly get: (name: string) => string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header, given in lower case; repeated ones joined as RFC 9110, section 5.3 says. */
const headerValue = (headers: HeaderSource, name: string): string | undefined => {
  if (hasGet(headers)) return headers.get(name) ?? undefined;
  const direct = Object.hasOwn(headers, name) ? headers[name] : undefined;
  const value = direct ?? Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.join(', ');
};

const hasGet = (headers: HeaderSource): headers is { readonly get: (name: string) => string | null | undefined } =>
  typeof headers.get === 'function';
