import { InvalidArgumentError } from '../core/errors.ts';
import { checkOptions, oneOf } from '../core/option-checks.ts';

/** The signature of a sender: a plain object, so that you can write down one that is not listed here. */
export interface SignatureScheme {
  /** The header that carries the signature, in lower case. */
  readonly header: string;
  /** The hash of the HMAC. */
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  /** The encoding of the signature. For `hex`, upper case and base64 are accepted too; lower case is sent. */
  readonly encoding: 'hex' | 'base64';
  /** The prefix of each signature, such as `sha256=`. */
  readonly label: string;
  /** The separator between the entries of the header. Without it, the header is one signature and nothing else. */
  readonly separator?: string | undefined;
  /**
   * The signed text: `{body}` once, around it perhaps `{id}`, `{timestamp}` and fixed text.
   * @example '{id}.{timestamp}.{body}'
   */
  readonly signs: string;
  /** The place of the time of signing: in its own header, or after a label in the header of the signature. */
  readonly timestamp?:
    | ({ readonly unit: 'seconds' | 'milliseconds' | 'iso-8601' } & (
        | { readonly header: string }
        | { readonly label: string }
      ))
    | undefined;
  /** The header that carries the id of the delivery, in lower case. */
  readonly idHeader?: string | undefined;
  /** Secrets are base64 after this prefix, which may be left out. Without it, the bytes of their text are used. */
  readonly base64SecretPrefix?: string | undefined;
}

/**
 * The default: `X-Signature: sha256=<hex>`, HMAC-SHA256 over the raw body.
 *
 * @example
 * const acme: SignatureScheme = { ...xSignature, header: 'x-acme-signature' };
 */
export const xSignature: SignatureScheme = {
  header: 'x-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  label: 'sha256=',
  signs: '{body}',
};

/**
 * Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp`, `webhook-signature`; secrets as `whsec_<base64>`.
 *
 * @example
 * authentication: [hmac({ scheme: standardWebhooks, secrets: () => secrets.read('partner') })],
 */
export const standardWebhooks: SignatureScheme = {
  header: 'webhook-signature',
  algorithm: 'sha256',
  encoding: 'base64',
  label: 'v1,',
  separator: ' ',
  signs: '{id}.{timestamp}.{body}',
  timestamp: { header: 'webhook-timestamp', unit: 'seconds' },
  idHeader: 'webhook-id',
  base64SecretPrefix: 'whsec_',
};

/**
 * `X-Signature: t=<seconds>,v1=<hex>`: the time is signed with the body, so that an old delivery is refused.
 *
 * @example
 * signing: { scheme: timestamped, secrets: () => secrets.read('crm-hook') },
 */
export const timestamped: SignatureScheme = {
  header: 'x-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  label: 'v1=',
  separator: ',',
  signs: '{timestamp}.{body}',
  timestamp: { label: 't=', unit: 'seconds' },
};

/**
 * The messaging platform's own: `X-Hub-Signature: sha1=<hex>`; the secret is the app's client secret.
 *
 * @example
 * authentication: [hmac({ scheme: hubSignature, secrets: () => secrets.read('messaging-app') })],
 */
export const hubSignature: SignatureScheme = {
  header: 'x-hub-signature',
  algorithm: 'sha1',
  encoding: 'hex',
  label: 'sha1=',
  signs: '{body}',
};

/**
 * Retell's: `X-Retell-Signature: v=<milliseconds>,d=<hex>`.
 *
 * @example
 * authentication: [hmac({ scheme: retell, secrets: () => secrets.read('retell') })],
 */
export const retell: SignatureScheme = {
  header: 'x-retell-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  label: 'd=',
  separator: ',',
  signs: '{body}{timestamp}',
  timestamp: { label: 'v=', unit: 'milliseconds' },
};

/** Throws `InvalidArgumentError` for a scheme that can't be meant; its `signs` must have the body exactly once. */
export const assertScheme = (scheme: SignatureScheme): void => {
  const { signs, algorithm, encoding, timestamp } = Object(scheme) as Partial<SignatureScheme>;
  if (typeof signs !== 'string')
    throw new InvalidArgumentError('scheme', 'must be a signature scheme, such as xSignature or standardWebhooks');
  if (signs.split('{body}').length !== 2)
    throw new InvalidArgumentError('scheme.signs', 'must contain {body} exactly once');
  checkOptions('scheme', [
    oneOf(algorithm ?? null, 'algorithm', ['sha1', 'sha256', 'sha512']),
    oneOf(encoding ?? null, 'encoding', ['hex', 'base64']),
    oneOf(timestamp ? (timestamp.unit ?? null) : undefined, 'timestamp.unit', ['seconds', 'milliseconds', 'iso-8601']),
  ]);
};

/** Returns what is signed before and after the body. The scheme was checked. */
export const frameOf = (scheme: SignatureScheme, { id, timestamp }: { id: string; timestamp: string }) => {
  const [before = '', after = ''] = scheme.signs
    .split('{body}')
    .map((text) => text.replaceAll('{id}', () => id).replaceAll('{timestamp}', () => timestamp));
  return { before, after };
};
