import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Tokens that stand for a person's agreement to exactly one tool call. */
export interface Confirmations {
  issue(fingerprint: string): { readonly token: string; readonly expiresInSeconds: number };
  /** Whether this token was issued for exactly this, and not too long ago. */
  isValid(token: unknown, fingerprint: string): boolean;
}

/** How the tokens are made with which a person agrees to a tool call with `confirm: 'two-step'`. */
export interface ConfirmationOptions {
  /**
   * Needed when several processes serve one phone call; at least 32 characters.
   * @defaultValue a random one of this toolbox
   */
  readonly secret?: () => string;
  /** @defaultValue 300 */
  readonly validSeconds?: number;
}

/** The token is an HMAC over the fingerprint and the expiry, so that nothing has to be stored. */
export const createConfirmations = ({ secret: read, validSeconds = 300 }: ConfirmationOptions): Confirmations => {
  let random: string | undefined;
  const sign = (fingerprint: string, expiry: string) =>
    createHmac('sha256', read?.() ?? (random ??= randomBytes(32).toString('hex')))
      .update(`${expiry}.${fingerprint}`)
      .digest('hex')
      .slice(0, 24);
  return {
    issue: (fingerprint) => {
      const expiry = Math.ceil(Date.now() / 1000 + validSeconds).toString(36);
      return { token: `${expiry}.${sign(fingerprint, expiry)}`, expiresInSeconds: validSeconds };
    },
    isValid: (token, fingerprint) => {
      const [, expiry = '', signature = ''] = /^([0-9a-z]{1,9})\.([0-9a-f]{24})$/.exec(String(token)) ?? [];
      if (Number.parseInt(expiry, 36) * 1000 < Date.now() || signature === '') return false;
      return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(fingerprint, expiry)));
    },
  };
};
