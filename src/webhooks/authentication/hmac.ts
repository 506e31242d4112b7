import { assertKnown } from '../../core/option-checks.ts';
import type { Secret } from '../../core/secret.ts';
import { assertScheme, type SignatureScheme, xSignature } from '../../signature/scheme.ts';
import { verifyBytes } from '../../signature/verify.ts';
import { type Authentication, unknownSender } from './method.ts';
import { createSecretReader } from './read-secrets.ts';

/** Options of {@link hmac}: the sender's secrets and scheme. */
export interface HmacOptions {
  /** Read for each delivery, so that a rotated secret counts at once: a function, or a list of them, the newest first. */
  readonly secrets: Secret;
  /** @defaultValue `X-Signature: sha256=<hex>` */
  readonly scheme?: SignatureScheme | undefined;
  /** The difference allowed between a signed time and now, if the scheme has one. @defaultValue 300000 */
  readonly toleranceMs?: number | undefined;
  /** The sender that signs with these secrets; business rules see it. */
  readonly sender?: string | undefined;
}

/**
 * The sender signs the raw body with a shared secret: the minimum for an event that causes an action.
 * Throws `InvalidArgumentError` for literal secrets.
 *
 * @example
 * authentication: [hmac({ secrets: async () => [await secrets.read('hook'), await secrets.read('hook-previous')] })]
 */
export const hmac = (options: HmacOptions): Authentication => {
  assertKnown(options, { secrets: true, scheme: true, toleranceMs: true, sender: true });
  const { secrets, sender, scheme = xSignature, toleranceMs } = options;
  const read = createSecretReader(secrets);
  assertScheme(scheme);
  return {
    method: 'hmac',
    step: 'signature',
    isStrong: true,
    header: scheme.header,
    check: async (delivery, body = new Uint8Array()) => {
      const known = await read(delivery);
      const verdict = verifyBytes(body, { headers: delivery.headers, secrets: known, scheme, toleranceMs });
      if (!verdict.valid) return unknownSender(`signature_${verdict.reason}`);
      return { accepted: true, sender, deliveryId: verdict.id, secrets: known };
    },
  };
};
