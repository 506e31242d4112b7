import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidArgumentError } from '../errors.ts';
import { type HeaderSource, headerValue } from './header-source.ts';
import { type Bytes, isRequest, type RawBody, readRequest, toBytes } from './raw-body.ts';
import { frameOf, type SignatureScheme, xSignature } from './scheme.ts';
import { activeText, createToKey, type Secret, type ToKey, toKeyOnce } from './secrets.ts';
import { isDeliveryId } from './sign.ts';

/** Why a signature was refused: for logs, not for the sender. */
export type SignatureProblem = 'missing' | 'malformed' | 'too_old' | 'too_new' | 'mismatch' | 'no_secret';

/** What a verification found. */
export type Verdict =
  | {
      readonly valid: true;
      /** The place of the secret that fits, among those that have not expired; above 0, the sender uses an old one. */
      readonly secretIndex: number;
      /** The signed id of the delivery, where the scheme has one. */
      readonly id?: string;
      /** The signed time in milliseconds since 1970, where the scheme has one. */
      readonly signedAt?: number;
    }
  | { readonly valid: false; readonly reason: SignatureProblem };

/** How deliveries are signed that a verifier is given, and how old they may be. */
export interface VerifierOptions {
  /** @defaultValue {@link xSignature}, the spec's */
  readonly scheme?: SignatureScheme;
  /** How far the signed time may lie in the past or in the future, where the scheme has one. @defaultValue 300000 */
  readonly toleranceMs?: number;
}

/** The bytes, their headers and the secrets, the newest first; several of them during a rotation. */
export type Verify = (body: Bytes, headers: HeaderSource, secrets: readonly Secret[]) => Verdict;

/**
 * A verifier that makes each key once. Compares in constant time and throws only for an unusable secret
 * (`InvalidArgumentError`), whatever the headers and the bytes are.
 *
 * @example
 * const verify = createVerifier({ scheme: timestamped });
 * const verdict = verify(rawBody, request.headers, [current, previous]);
 * if (!verdict.valid) log.warn({ reason: verdict.reason });
 */
export const createVerifier = (options: VerifierOptions = {}): Verify => verifierWith(createToKey, options);

const verifierWith = (
  createKeys: (scheme: SignatureScheme) => ToKey,
  { scheme = xSignature, toleranceMs = 300_000 }: VerifierOptions,
): Verify => {
  const frame = frameOf(scheme);
  const toKey = createKeys(scheme);
  return (body, headers, secrets) => {
    const claim = readClaim(scheme, headers);
    if (typeof claim === 'string') return refused(claim);
    const now = Date.now();
    const age = claim.signedAt === undefined ? 0 : now - claim.signedAt;
    if (age > toleranceMs) return refused('too_old');
    if (age < -toleranceMs) return refused('too_new');

    const { before, after } = frame(claim.id ?? '', claim.timestamp);
    let secretIndex = 0;
    for (const secret of secrets) {
      const text = activeText(secret, now);
      if (text === undefined) continue;
      const hmac = createHmac(scheme.algorithm, toKey(text));
      if (before !== '') hmac.update(before);
      hmac.update(body);
      if (after !== '') hmac.update(after);
      if (isAmong(claim.signatures, hmac.digest(scheme.encoding))) return accepted(secretIndex, claim);
      secretIndex += 1;
    }
    return refused(secretIndex === 0 ? 'no_secret' : 'mismatch');
  };
};

/**
 * Whether a delivery is genuine: its raw bytes, and headers unless the body is a `Request`, which is then read.
 * An empty body and invalid UTF-8 can be genuine too. Use {@link createVerifier} for many deliveries.
 * Throws `InvalidArgumentError` for what a body parser left, naming the fix, and for an unusable secret.
 *
 * @example
 * const { valid } = await verifySignature(rawBody, { headers: request.headers, secrets: [current, previous] });
 */
export const verifySignature = async (
  body: RawBody,
  options: VerifierOptions & { readonly headers?: HeaderSource; readonly secrets: readonly Secret[] },
): Promise<Verdict> => {
  const source = options.headers ?? (isRequest(body) ? body.headers : undefined);
  if (!source) throw new InvalidArgumentError('headers', 'must be given unless the body is a Request');
  const bytes = isRequest(body) ? await readRequest(body) : toBytes(body);
  return verifierWith(toKeyOnce, options)(bytes, source, options.secrets);
};

const accepted = (secretIndex: number, { id, signedAt }: SignatureClaim): Verdict => {
  if (id === undefined && signedAt === undefined) return { valid: true, secretIndex };
  return { valid: true, secretIndex, ...(id !== undefined && { id }), ...(signedAt !== undefined && { signedAt }) };
};

const refused = (reason: SignatureProblem): Verdict => ({ valid: false, reason });

/** What the headers say; nothing of it is believed yet. */
interface SignatureClaim {
  readonly signatures: readonly string[];
  /** As it is signed. */
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
  if (more.length > 0 || !/^\d{1,15}$/.test(moment)) return 'malformed';
  const signedAt = Number(moment) * (timestamp.unit === 'seconds' ? 1000 : 1);
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
    const given = Buffer.from(signature);
    // What is not ASCII is longer as bytes.
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) found = true;
  }
  return found;
};
