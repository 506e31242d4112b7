import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SigningSecret } from './signing-secret.ts';

/** A token that was given for exactly this and hasn't expired. */
export interface SignedToken {
  /** A hash of it. */
  readonly id: string;
  readonly issuedAt: number;
  readonly tag: string;
}

/** Tokens for tool calls. They're signed, so that only used ones have to be stored. */
export interface SignedTokens {
  issue(exactly: string, tag: string): Promise<string>;
  /** Returns `undefined` for anything but a token that was given for exactly this. */
  read(token: unknown, exactly: string): Promise<SignedToken | undefined>;
}

/** The token is an HMAC over what it's for, the time and a tag. */
export const createSignedTokens = (secretAt: SigningSecret): SignedTokens => {
  const sign = async (text: string, at: number) =>
    createHmac('sha256', await secretAt(at))
      .update(text)
      .digest('hex')
      .slice(0, 24);

  return {
    issue: async (exactly, tag) => {
      const now = Date.now();
      // Two tokens of one millisecond are two.
      const head = `${now.toString(36)}.${tag}.${randomBytes(3).toString('hex')}`;
      return `${head}.${await sign(`${head}.${exactly}`, now)}`;
    },
    read: async (token, exactly) => {
      // Only a text: a framework decides by it whether a person has to approve.
      const found = typeof token === 'string' ? tokenPattern.exec(token) : null;
      const [, head = '', issued = '', tag = '', signature = ''] = found ?? [];
      const issuedAt = Number.parseInt(issued, 36);
      const ageMs = Date.now() - issuedAt;
      if (signature === '' || ageMs > validSeconds * 1000 || ageMs < -mostAheadMs) return undefined;
      const signed = await sign(`${head}.${exactly}`, issuedAt);
      if (!timingSafeEqual(Buffer.from(signature), Buffer.from(signed))) return undefined;
      return { id: hash('sha256', String(token), 'hex'), issuedAt, tag };
    },
  };
};

/** The time for which a token counts. */
export const validSeconds = 300;

const tokenPattern = /^(([0-9a-z]{8,9})\.(t[0-9a-f]{8}(?:x[0-9a-f]{8})?|x[0-9a-f]{8}|-)\.[0-9a-f]{6})\.([0-9a-f]{24})$/;

/** The clock of another process may be ahead. A token of another day would have a secret made for that day. */
const mostAheadMs = 60_000;
