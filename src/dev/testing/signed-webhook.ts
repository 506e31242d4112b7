import { randomUUID } from 'node:crypto';
import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown } from '../../core/option-checks.ts';
import { type SignatureScheme, xSignature } from '../../signature/scheme.ts';
import { signBytes } from '../../signature/sign.ts';

/** The payload to sign, and the scheme. */
export interface SignedWebhookOptions {
  /** The secret that the receiver knows too. */
  readonly secret: string;
  /** The body: a text is sent as it is, anything else as JSON. */
  readonly body: unknown;
  /** @defaultValue `xSignature`, the default API's */
  readonly scheme?: SignatureScheme | undefined;
  /** The id of the delivery, for schemes that sign it. @defaultValue a random one */
  readonly id?: string | undefined;
  /** The time of the signature in milliseconds since 1970, for schemes that sign it. @defaultValue now */
  readonly at?: number | undefined;
}

/** A delivery as a receiver gets it. */
export interface SignedWebhook {
  /** The bytes that were signed, as text. */
  readonly body: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A delivery that a receiver must refuse. */
export interface ForgedWebhook extends SignedWebhook {
  /** The flaw, to name a test after. */
  readonly forgery: string;
}

/**
 * A delivery that is genuine: a body with the headers that its sender would give it, for tests of a receiver.
 * Throws `InvalidArgumentError` for a secret or an id that the scheme cannot use.
 *
 * @example
 * const { body, headers } = signedWebhook({ secret: 'shared', body: { id: 'evt_1', topic: 'contact.created' } });
 * const answer = await fetch(`${address}/webhooks`, { method: 'POST', body, headers });
 */
export const signedWebhook = (options: SignedWebhookOptions): SignedWebhook => {
  assertKnown(options, { secret: true, body: true, scheme: true, id: true, at: true });
  const { secret, body: given, scheme = xSignature, id = randomUUID(), at } = options;
  const body = typeof given === 'string' ? given : JSON.stringify(given);
  if (body === undefined) throw new InvalidArgumentError('body', 'must be text, or what JSON can hold');
  const signature = signBytes(body, { scheme, secrets: [secret], id, at });
  return { body, headers: { 'content-type': 'application/json', ...signature } };
};

/**
 * The same delivery as an attacker would send it, in each way that a receiver must refuse. It has no signature, one of
 * another secret, or one of another body. Where the scheme signs the time, one is a day late.
 *
 * @example
 * test.each(forgedWebhooks({ secret: 'shared', body: event }))('refuses one $forgery', async ({ body, headers }) => {
 *   expect((await fetch(address, { method: 'POST', body, headers })).status).toBe(401);
 * });
 */
export const forgedWebhooks = (options: SignedWebhookOptions): readonly ForgedWebhook[] => {
  const { scheme = xSignature, at = Date.now() } = options;
  const genuine = signedWebhook(options);
  const { [scheme.header]: _signature, ...unsigned } = genuine.headers;
  const otherSecret = scheme.base64SecretPrefix === undefined ? 'another secret' : 'YW5vdGhlciBzZWNyZXQ=';
  return [
    { forgery: 'without a signature', body: genuine.body, headers: unsigned },
    { forgery: 'signed with another secret', ...signedWebhook({ ...options, secret: otherSecret }) },
    // One space more is the same JSON, and other bytes.
    { forgery: 'whose body was changed', body: `${genuine.body} `, headers: genuine.headers },
    ...(scheme.timestamp ? [{ forgery: 'signed a day ago', ...signedWebhook({ ...options, at: at - dayMs }) }] : []),
  ];
};

const dayMs = 86_400_000;
