import type { Answer, Performed } from './pipeline.ts';
import type { Refused } from './refused.ts';

/** Keeps the answers of an API under their idempotency keys. */
export interface KeptAnswers {
  /** Works unless the key has an answer, which is then repeated. Throws `Refused` for a key of another request. */
  readonly once: (key: string | undefined, fingerprint: string, work: () => Performed) => Performed;
}

export const createKeptAnswers = ({
  conflict,
  forMs = Number.POSITIVE_INFINITY,
}: {
  /** The refusal of a key that was used for another request. */
  readonly conflict: () => Refused;
  readonly forMs?: number;
}): KeptAnswers => {
  const kept = new Map<string, { readonly fingerprint: string; readonly answer: Answer; readonly at: number }>();
  return {
    once: (key, fingerprint, work) => {
      if (key === undefined) return work();
      const found = kept.get(key);
      if (found && found.at + forMs > Date.now()) {
        if (found.fingerprint !== fingerprint) throw conflict();
        return { answer: found.answer, executed: false, replayed: true };
      }
      const performed = work();
      // A copy: the records in the answer go on changing.
      kept.set(key, { fingerprint, answer: structuredClone(performed.answer), at: Date.now() });
      return performed;
    },
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
