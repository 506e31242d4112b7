import { LRUCache } from 'lru-cache';
import { StoreError } from '../core/errors.ts';
import type { IdempotencyStore } from './ports/idempotency-store.ts';
import type { Json } from './ports/json.ts';

/** The state of a key, as an engine keeps it: plain JSON. */
export interface ClaimDocument {
  readonly fingerprint: string;
  readonly retainMs: number;
  /** The claim that wrote it. Its lease begins with the writing and lasts for `leaseMs`. */
  readonly claim?: string | undefined;
  readonly leaseMs: number;
  /** JSON as text. Neither a result nor a note: claimed for the first time. */
  readonly result?: string | undefined;
  /** JSON as text. */
  readonly note?: string | undefined;
}

/** A document as an engine found it. */
export interface KeptDocument {
  readonly version: string;
  readonly document: ClaimDocument;
  /** Counted by the engine's clock. It starts again from 0 when that clock was set back behind the writing. */
  readonly ageMs: number;
}

/** A document to be written, under a version that no other has. */
export interface NextDocument {
  readonly version: string;
  readonly document: ClaimDocument;
  /** The time after which the document is gone. */
  readonly keepMs: number;
}

/** The document that must be there for a change to be made. */
export interface Expected {
  readonly version: string;
  /** @defaultValue any age */
  readonly youngerThanMs?: number | undefined;
}

/** Done, or refused with the document that is there instead. */
export type Change = 'done' | KeptDocument | undefined;

/** Documents by key. Each method is one atomic step, also between processes that share the engine. */
export interface Documents {
  read(key: string): Promise<KeptDocument | undefined>;
  /** Writes over the `expected` document; without one only where none is. */
  write(key: string, next: NextDocument, expected?: Expected): Promise<Change>;
  remove(key: string, expected: Expected): Promise<Change>;
}

/** Returns `true` if a change may be made; for engines that decide in JavaScript. */
export const isAsExpected = (found: KeptDocument | undefined, expected: Expected | undefined): boolean => {
  if (!found || !expected) return found === expected;
  return found.version === expected.version && found.ageMs < (expected.youngerThanMs ?? Number.POSITIVE_INFINITY);
};

/** The format of documents in files and on servers. Format 1 had a column or a field for each fact. */
export const claimFormat = 2;

/**
 * Makes an idempotency store of documents. A new claim, a renewal, a settlement and a release are one step of the
 * engine, taking over what another left is two. Claiming again what was settled here, and changed by no one since, is one.
 */
export const createClaims = (
  documents: Documents,
): Pick<IdempotencyStore, 'claim' | 'renew' | 'read' | 'settle' | 'release'> => {
  /** The last document that each claim wrote here. One that isn't known any more is read first. */
  const written = new LRUCache<string, Written>({ maxSize: mostWritten, sizeCalculation: () => 1 });
  /** The documents that were settled here last, of keys that are claimed again and again. An engine refuses one that isn't the last. */
  const settled = new LRUCache<string, Written>({
    maxSize: mostSettledCharacters,
    sizeCalculation: ({ document }, key) => key.length + (document.result?.length ?? 0),
  });

  const write = async (
    key: string,
    document: ClaimDocument,
    expected: Expected | undefined,
    isReopened = false,
  ): Promise<Change> => {
    const { claim, leaseMs, retainMs } = document;
    const version = crypto.randomUUID();
    const keepMs = Math.max(retainMs, leaseMs);
    const found = await documents.write(key, { version, document, keepMs }, expected);
    // A driver that connects again sends a second time what was done already.
    const change = found !== 'done' && found?.version === version ? 'done' : found;
    if (change === 'done' && claim !== undefined && leaseMs > 0) written.set(claim, { version, document, isReopened });
    else if (change === 'done' && isReopened) settled.set(key, { version, document, isReopened });
    return change;
  };

  const claim: IdempotencyStore['claim'] = async (key, { fingerprint, leaseMs, retainMs, reopen = false }) => {
    const own = crypto.randomUUID();
    const last = reopen ? settled.get(key) : undefined;
    let before: Written | undefined = last?.document.fingerprint === fingerprint ? last : undefined;
    for (let tries = 0; tries < mostTries; tries += 1) {
      const { result, note } = before?.document ?? {};
      const document = { fingerprint, retainMs, claim: own, leaseMs, result, note };
      const change = await write(key, document, before && { version: before.version }, reopen);
      if (change === 'done') return { claim: own, ...(outcomeOf(document) ?? { state: 'new' }) };
      if (change && change.document.fingerprint !== fingerprint) return { state: 'conflict' };
      const outcome = change && outcomeOf(change.document);
      if (outcome?.state === 'finished' && !reopen) return outcome;
      const retryAfterMs = change ? leaseLeftMs(change) : 0;
      if (retryAfterMs > 0) return { state: 'in-progress', retryAfterMs };
      before = change;
    }
    throw new StoreError('the key changes hands faster than it can be claimed');
  };

  /** Makes the change if the claim still holds the key. */
  const change = async (
    key: string,
    claimed: string,
    make: (document: ClaimDocument, expected: Expected, isReopened?: boolean) => Promise<Change>,
  ): Promise<boolean> => {
    let own: Written | undefined = written.get(claimed) ?? heldBy(claimed, await documents.read(key));
    // If no answer comes, it isn't known what was written last.
    written.delete(claimed);
    while (own) {
      const { version, document, isReopened } = own;
      const made = await make(document, { version, youngerThanMs: document.leaseMs }, isReopened);
      if (made === 'done') return true;
      own = heldBy(claimed, made);
    }
    return false;
  };

  return {
    claim,
    read: async (key) => {
      const kept = await documents.read(key);
      const retryAfterMs = kept ? leaseLeftMs(kept) : 0;
      return retryAfterMs > 0 ? { state: 'in-progress', retryAfterMs } : kept && outcomeOf(kept.document);
    },
    renew: (key, claimed, { leaseMs, note }) => {
      const text = toText(note);
      return change(key, claimed, ({ fingerprint, retainMs }, expected) =>
        write(key, { fingerprint, retainMs, claim: claimed, leaseMs, note: text }, expected),
      );
    },
    settle: (key, claimed, result) => {
      const text = toText(result);
      return change(key, claimed, ({ fingerprint, retainMs }, expected, isReopened) =>
        write(key, { fingerprint, retainMs, leaseMs: 0, result: text }, expected, isReopened),
      );
    },
    release: async (key, claimed) =>
      void (await change(key, claimed, (_document, expected) => documents.remove(key, expected))),
  };
};

/** `undefined` of untyped code would make the key new again. */
const toText = (json: Json | undefined): string => JSON.stringify(json ?? null);

const leaseLeftMs = ({ document, ageMs }: KeptDocument): number => document.leaseMs - ageMs;

const heldBy = (claim: string, kept: Change): KeptDocument | undefined =>
  kept && kept !== 'done' && kept.document.claim === claim && leaseLeftMs(kept) > 0 ? kept : undefined;

const outcomeOf = ({ result, note }: ClaimDocument) => {
  // Only JSON is ever written.
  if (result !== undefined) return { state: 'finished' as const, result: JSON.parse(result) as Json };
  return note === undefined ? undefined : { state: 'unknown' as const, note: JSON.parse(note) as Json };
};

/** A document as it was written here. */
interface Written extends Omit<KeptDocument, 'ageMs'> {
  /** The key is claimed again after it's settled. */
  readonly isReopened?: boolean | undefined;
}

/** The states of some thousand phone calls. */
const mostSettledCharacters = 4_000_000;

/** Claims that were left without an end stay until others push them out. */
const mostWritten = 10_000;

const mostTries = 10;
