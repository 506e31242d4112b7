import { createHmac } from 'node:crypto';
import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown } from '../core/option-checks.ts';
import { toBytes } from './raw-body.ts';
import { assertSecret, readSecrets, type Secret } from '../core/secret.ts';
import { assertScheme, frameOf, type SignatureScheme, xSignature } from './scheme.ts';
import { toKey } from './secrets.ts';

/** The secrets and the scheme that sign a delivery. */
export interface SignOptions {
  /**
   * Functions that read the secrets, as in `hmac`, the newest first. A scheme that allows several signatures gets one of
   * each, so that the receiver may change over at any time. The others are signed with the newest.
   */
  readonly secrets: Secret;
  /** @defaultValue {@link xSignature} */
  readonly scheme?: SignatureScheme | undefined;
  /** The id of the delivery, the same for each attempt; needed where the scheme has one. Without dots. */
  readonly id?: string | undefined;
  /** The time of signing, in milliseconds since 1970. @defaultValue now */
  readonly at?: number | undefined;
}

/**
 * Signs one delivery: for senders and for tests. Returns the headers, names in lower case.
 * Throws `InvalidArgumentError` for a parsed object, a missing id, a literal secret, and without a usable one.
 *
 * @example
 * const headers = await sign(body, { secrets: fromEnv('HOOK_SECRET') }); // { 'x-signature': 'sha256=…' }
 */
export const sign = async (
  body: string | NodeJS.ArrayBufferView | ArrayBuffer,
  options: SignOptions,
): Promise<Readonly<Record<string, string>>> => {
  const { secrets }: SignOptions = Object(options);
  assertKnown<SignOptions>(options, { secrets: true, scheme: true, id: true, at: true }, undefined, {
    secret: 'secrets',
  });
  assertSecret('secrets', secrets);
  return signBytes(body, { ...options, secrets: await readSecrets('secrets', secrets) });
};

/** {@link sign} with secrets that were read. */
export const signBytes = (
  body: string | NodeJS.ArrayBufferView | ArrayBuffer,
  {
    secrets,
    scheme = xSignature,
    id,
    at = Date.now(),
  }: Omit<SignOptions, 'secrets'> & { readonly secrets: readonly string[] },
): Readonly<Record<string, string>> => {
  assertScheme(scheme);
  const { algorithm, encoding, header, idHeader, label, separator, timestamp } = scheme;
  if (idHeader !== undefined && (id === undefined || !isDeliveryId(id)))
    throw new InvalidArgumentError('id', 'must be a text without dots and spaces: this scheme signs it');
  const used = separator === undefined ? secrets.slice(0, 1) : secrets;
  if (used.length === 0) throw new InvalidArgumentError('secrets', 'must hold at least one');
  const moment = timestamp ? momentFor[timestamp.unit](at) : '';
  const { before, after } = frameOf(scheme, { id: id ?? '', timestamp: moment });
  const bytes = toBytes(body);
  const signatures = used.map((secret) => {
    const hmac = createHmac(algorithm, toKey(secret, scheme)).update(before).update(bytes).update(after);
    return `${label}${hmac.digest(encoding)}`;
  });
  const inline = timestamp && 'label' in timestamp ? [`${timestamp.label}${moment}`] : [];
  const headers: Record<string, string> = { [header]: [...inline, ...signatures].join(separator ?? '') };
  if (timestamp && 'header' in timestamp) headers[timestamp.header] = moment;
  if (idHeader !== undefined && id !== undefined) headers[idHeader] = id;
  return headers;
};

/** A dot would let a part of the body be taken for a part of the id, since both are signed with dots between. */
export const isDeliveryId = (id: string): boolean => /^[!-\-/-~]{1,255}$/.test(id);

const momentFor: Readonly<Record<NonNullable<SignatureScheme['timestamp']>['unit'], (at: number) => string>> = {
  seconds: (at) => String(Math.floor(at / 1000)),
  milliseconds: (at) => String(Math.floor(at)),
  'iso-8601': (at) => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z'),
};
