import { hash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The secrets of one console. All three come from one random token, and none reveals another. */
export interface ConsoleSecrets {
  /** Part of the printed URL, and opens the console from a command line as `Authorization: Bearer`. */
  readonly token: string;
  /** The cookie that the browser keeps instead of the token. Its name differs per console, since ports share their cookies. */
  readonly cookie: { readonly name: string; readonly value: string };
  /** The token that the page sends with every POST: a cookie alone, which the browser sends by itself, changes nothing. */
  readonly pageToken: string;
}

/** Makes 256 random bits and what is derived from them. */
export const createSecrets = (random: (bytes: number) => Buffer = randomBytes): ConsoleSecrets => {
  const token = random(32).toString('base64url');
  const derived = (purpose: string) => createHmac('sha256', token).update(purpose).digest('base64url');
  return {
    token,
    cookie: { name: `console-${derived('name').slice(0, 8)}`, value: derived('cookie') },
    pageToken: derived('page'),
  };
};

/** Compares in a time that does not reveal where the first difference is. */
export const isSame = (given: string | null | undefined, wanted: string): boolean =>
  typeof given === 'string' && timingSafeEqual(digest(given), digest(wanted));

const digest = (text: string) => hash('sha256', text, 'buffer');
