import type { EndpointAnswer } from './endpoint.ts';

/** Keeps the answer of each write under its idempotency key. */
export interface KeptAnswers {
  /** `conflict`: the key was used for something else. */
  readonly find: (key: string, fingerprint: string) => EndpointAnswer | 'conflict' | undefined;
  readonly keep: (key: string, fingerprint: string, answer: EndpointAnswer) => void;
}

export const createKeptAnswers = (): KeptAnswers => {
  const kept = new Map<string, { readonly fingerprint: string; readonly answer: EndpointAnswer }>();
  return {
    find: (key, fingerprint) => {
      const found = kept.get(key);
      if (!found) return undefined;
      return found.fingerprint === fingerprint ? found.answer : 'conflict';
    },
    // A copy: the records in the answer go on changing.
    keep: (key, fingerprint, answer) => void kept.set(key, { fingerprint, answer: structuredClone(answer) }),
  };
};

/** The same for two requests that ask for the same, however their fields are ordered. */
export const fingerprintOf = (method: string, path: string, body: unknown): string =>
  JSON.stringify([method, path, sorted(body)]);

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, entry]) => [name, sorted(entry)]);
};
