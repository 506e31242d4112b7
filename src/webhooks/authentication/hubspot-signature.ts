import { InvalidArgumentError } from '../../core/errors.ts';
import type { Secret } from '../../core/secret.ts';
import { verifyBytes } from '../../signature/verify.ts';
import { type Authentication, unknownSender } from './method.ts';
import { createSecretReader } from './read-secrets.ts';

/** The app of HubSpot that signs, and the address that it calls. */
export interface HubSpotSignatureOptions {
  /** The client secret of the app, read for each delivery. */
  readonly secrets: Secret;
  /**
   * The origin that HubSpot calls, such as `https://agent.example.com`, where a proxy hands deliveries on under another.
   * @defaultValue that of the request
   */
  readonly publicOrigin?: string | undefined;
}

/**
 * HubSpot signs method, address, body and time (`X-HubSpot-Signature-v3`). A delivery that was signed more than 5 minutes
 * ago is refused.
 * Throws `InvalidArgumentError` for literal secrets and for what is no origin. Source: HubSpot, "Validating requests".
 *
 * @example
 * authentication: [hubspotSignature({ secrets: () => secrets.read('hubspot-client-secret') })],
 */
export const hubspotSignature = ({ secrets, publicOrigin }: HubSpotSignatureOptions): Authentication => {
  const read = createSecretReader(secrets);
  if (publicOrigin !== undefined && !(URL.canParse(publicOrigin) && new URL(publicOrigin).origin === publicOrigin))
    throw new InvalidArgumentError('publicOrigin', 'must be an origin such as https://agent.example.com');
  return {
    method: 'hubspot-signature',
    step: 'signature',
    isStrong: true,
    check: async (delivery, body = new Uint8Array()) => {
      const { origin, pathname, search } = delivery.url;
      const address = decodeSigned(`${publicOrigin ?? origin}${pathname}`) + decodeSigned(search);
      // What is signed around the body is a pattern, and no address of a receiver has braces.
      if (/[{}]/.test(address)) return unknownSender('signature_malformed');
      const known = await read(delivery);
      const verdict = verifyBytes(body, {
        headers: delivery.headers,
        secrets: known,
        scheme: {
          header: 'x-hubspot-signature-v3',
          algorithm: 'sha256',
          encoding: 'base64',
          label: '',
          signs: `POST${address}{body}{timestamp}`,
          timestamp: { header: 'x-hubspot-request-timestamp', unit: 'milliseconds' },
        },
      });
      if (!verdict.valid) return unknownSender(`signature_${verdict.reason}`);
      return { accepted: true, sender: undefined, deliveryId: undefined, secrets: known };
    },
  };
};

/** HubSpot signs these signs decoded, all others as they are. */
const decodeSigned = (text: string): string =>
  text.replaceAll(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, (code) => decodeURIComponent(code));
