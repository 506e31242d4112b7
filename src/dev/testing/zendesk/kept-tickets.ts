import { Refused } from '../refused.ts';

/** What a request is answered with. */
export interface ZendeskResult {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const keptForMs = 2 * 60 * 60_000;

/** Keeps the answer of each new ticket under its idempotency key for two hours. */
export const createKeptTickets = () => {
  const results = new Map<
    string,
    { readonly fingerprint: string; readonly result: ZendeskResult; readonly at: number }
  >();
  return {
    /** Throws `Refused` when the key was used for something else. */
    find: (key: string, fingerprint: string): ZendeskResult | undefined => {
      const found = results.get(key);
      if (!found || found.at + keptForMs <= Date.now()) return undefined;
      if (found.fingerprint === fingerprint) return found.result;
      throw new Refused(400, 'IdempotentRequestError', 'Request parameters are different from the first request');
    },
    keep: (key: string, fingerprint: string, result: ZendeskResult): void =>
      void results.set(key, { fingerprint, result, at: Date.now() }),
  };
};
