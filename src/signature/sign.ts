import { createHmac } from 'node:crypto';
import { InvalidArgumentError } from '../errors.ts';
import { toBytes } from './raw-body.ts';
import { frameOf, type SignatureScheme, xSignature } from './scheme.ts';
import { activeSecrets, createToKey, type Secret } from './secrets.ts';

/** How deliveries are signed, whatever their secrets are. */
export interface SignerOptions {
  /** @defaultValue {@link xSignature}, the spec's */
  readonly scheme?: SignatureScheme;
}

/** What one delivery is signed with. */
export interface SignOptions {
  /**
   * The newest first. A scheme that allows several signatures gets one of each, so that the receiver may change over
   * at any time; the others are signed with the newest.
   */
  readonly secrets: readonly Secret[];
  /** The id of the delivery, the same for each attempt; needed where the scheme has one. Without dots. */
  readonly id?: string;
  /** When it was signed, in milliseconds since 1970. @defaultValue now */
  readonly at?: number;
}

/** The headers that make a delivery genuine, names in lower case. */
export type Sign = (
  body: string | NodeJS.ArrayBufferView | ArrayBuffer,
  options: SignOptions,
) => Readonly<Record<string, string>>;

/**
 * A signer that makes each key once. Its function throws `InvalidArgumentError` for a parsed object, a missing id, an
 * unusable secret, and when all secrets have expired.
 *
 * @example
 * const sign = createSigner({ scheme: standardWebhooks });
 * await fetch(url, { method: 'POST', body, headers: sign(body, { secrets, id: 'evt_1' }) });
 */
export const createSigner = ({ scheme = xSignature }: SignerOptions = {}): Sign => {
  const frame = frameOf(scheme);
  const toKey = createToKey(scheme);
  return (body, { secrets, id, at = Date.now() }) => {
    if (scheme.idHeader !== undefined && (id === undefined || !isDeliveryId(id)))
      throw new InvalidArgumentError('id', 'must be a text without dots and spaces: this scheme signs it');
    const active = activeSecrets(secrets, Date.now());
    const used = scheme.separator === undefined ? active.slice(0, 1) : active;
    if (used.length === 0) throw new InvalidArgumentError('secrets', 'must hold one that has not expired');

    const { timestamp } = scheme;
    const moment = timestamp ? String(Math.floor(timestamp.unit === 'seconds' ? at / 1000 : at)) : '';
    const { before, after } = frame(id ?? '', moment);
    const bytes = toBytes(body);
    const signatures = used.map((secret) => {
      const hmac = createHmac(scheme.algorithm, toKey(secret)).update(before).update(bytes);
      return `${scheme.label}${hmac.update(after).digest(scheme.encoding)}`;
    });
    const inline = timestamp && 'label' in timestamp ? [`${timestamp.label}${moment}`] : [];
    return {
      [scheme.header]: [...inline, ...signatures].join(scheme.separator ?? ''),
      ...(timestamp && 'header' in timestamp && { [timestamp.header]: moment }),
      ...(scheme.idHeader !== undefined && { [scheme.idHeader]: id ?? '' }),
    };
  };
};

/**
 * Signs one delivery: for senders and for tests. Gives the headers, names in lower case.
 * Throws `InvalidArgumentError` as {@link createSigner} says.
 *
 * @example
 * const headers = sign(body, { secrets: [await secrets.read('hook')] }); // { 'x-signature': 'sha256=…' }
 */
export const sign = (
  body: string | NodeJS.ArrayBufferView | ArrayBuffer,
  { scheme, ...options }: SignerOptions & SignOptions,
): Readonly<Record<string, string>> => createSigner({ ...(scheme && { scheme }) })(body, options);

/** A dot would let a part of the body be taken for a part of the id, since both are signed with dots between. */
export const isDeliveryId = (id: string): boolean => /^[!-\-/-~]{1,255}$/.test(id);
