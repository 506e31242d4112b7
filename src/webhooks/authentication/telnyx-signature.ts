import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown } from '../../core/option-checks.ts';
import { readSecrets, type Secret } from '../../core/secret.ts';
import { assertDuration } from '../../core/timers.ts';
import { type Authentication, unknownSender } from './method.ts';

/** The account of Telnyx that signs. */
export interface TelnyxSignatureOptions {
  /** The account's public key in base64, from Mission Control. It's no secret; a function may return several. */
  readonly publicKey: string | Secret;
  /** The most that the signed time may be off, in milliseconds. @defaultValue 300000 */
  readonly toleranceMs?: number | undefined;
}

/**
 * Telnyx signs time and body with Ed25519 (`telnyx-signature-ed25519`, `telnyx-timestamp`).
 * Throws `InvalidArgumentError` for a key that isn't 32 bytes in base64.
 * Source: developers.telnyx.com/docs/development/api-fundamentals/webhooks, read on 2026-11-27.
 *
 * @example
 * authentication: [telnyxSignature({ publicKey: fromEnv('TELNYX_PUBLIC_KEY') })],
 */
export const telnyxSignature = (options: TelnyxSignatureOptions): Authentication => {
  assertKnown(options, { publicKey: true, toleranceMs: true });
  const { publicKey, toleranceMs = 300_000 } = options;
  assertDuration('toleranceMs', toleranceMs);
  if (typeof publicKey === 'string') keyOf(publicKey);
  const source: Secret = typeof publicKey === 'string' ? () => publicKey : publicKey;
  if (![source].flat().every((read) => typeof read === 'function'))
    throw new InvalidArgumentError('publicKey', 'must be the public key in base64, or a function that returns it');

  return {
    method: 'telnyx-signature',
    step: 'signature',
    isStrong: true,
    header: 'telnyx-signature-ed25519',
    check: async ({ headers, tenant }, body = new Uint8Array()) => {
      const timestamp = headers.get('telnyx-timestamp');
      if (timestamp === null) return unknownSender('signature_missing');
      const signature = fromBase64(headers.get('telnyx-signature-ed25519') ?? '', 64);
      if (!signature || !/^\d{1,12}$/.test(timestamp)) return unknownSender('signature_malformed');
      // In whole seconds, as the package telnyx 7.24.0 counts.
      const ageMs = (Math.floor(Date.now() / 1000) - Number(timestamp)) * 1000;
      if (ageMs > toleranceMs) return unknownSender('signature_too_old');
      if (ageMs < -toleranceMs) return unknownSender('signature_too_new');
      const signed = Buffer.concat([Buffer.from(`${timestamp}|`), body]);
      const { subtle } = globalThis.crypto;
      for (const text of await readSecrets('publicKey', source, { tenant })) {
        const key = await subtle.importKey('raw', keyOf(text), { name: 'Ed25519' }, false, ['verify']);
        if (await subtle.verify('Ed25519', key, signature, signed))
          return { accepted: true, sender: undefined, deliveryId: undefined };
      }
      return unknownSender('signature_mismatch');
    },
  };
};

const keyOf = (text: string): Uint8Array<ArrayBuffer> => {
  const key = fromBase64(text.trim(), 32);
  if (key) return key;
  throw new InvalidArgumentError('publicKey', 'must be 32 bytes in base64, as Mission Control shows it');
};

const fromBase64 = (text: string, length: number): Uint8Array<ArrayBuffer> | undefined => {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return bytes.length === length ? bytes : undefined;
};
