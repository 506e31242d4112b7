import { Refused } from '../refused.ts';

/** What a request was answered with. */
export interface KeptResult {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const dayMs = 24 * 60 * 60_000;

/** Keeps the first answer under each idempotency key for 24 hours, a refused or failed one too. */
export const createKeptResults = () => {
  const results = new Map<string, { readonly fingerprint: string; readonly result: KeptResult; readonly at: number }>();
  return {
    /** Throws `Refused` when the key was used for something else. */
    find: (key: string, fingerprint: string): KeptResult | undefined => {
      const found = results.get(key);
      if (!found || found.at + dayMs <= Date.now()) return undefined;
      if (found.fingerprint === fingerprint) return found.result;
      throw new Refused(
        400,
        '',
        'Keys for idempotent requests can only be used with the same parameters they were first used with.',
        { more: { type: 'idempotency_error' } },
      );
    },
    // A copy: the records in the answer go on changing.
    keep: (key: string, fingerprint: string, result: KeptResult): void =>
      void results.set(key, { fingerprint, result: structuredClone(result), at: Date.now() }),
  };
};
