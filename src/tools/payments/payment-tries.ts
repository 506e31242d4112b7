/** The stored tries of a payment, and the decisions that follow from them. Nothing here waits. */
import { dayMs } from '../../core/timers.ts';
import { hash } from 'node:crypto';
import type { Json } from '../../stores/ports/json.ts';
import { canonicalJson } from '../arguments.ts';

/** The facts that identify a payment. */
export interface PaymentFacts {
  readonly tenant: string | undefined;
  readonly tool: string;
  /** The thing that is paid: two payments for it are one. */
  readonly what: Json;
  /** The means of payment. Another card is another try of the same payment. */
  readonly by: Json;
  /** The application's word for a second payment on purpose. */
  readonly intent: string | undefined;
}

/** The same for the same payment, in any phone call and process. It reveals nothing about what it was made from. */
export const paymentIntent = ({ tenant, tool, what, intent }: PaymentFacts): string =>
  sha256(canonicalJson([tenant ?? null, tool, what, intent ?? null]));

/** The idempotency key of one try of a payment within one phone call. */
export const tryKey = (intent: string, by: Json, callId: string, ordinal: number): string =>
  sha256(canonicalJson([intent, by, callId, ordinal]));

const sha256 = (text: string) => hash('sha256', text, 'hex');

/**
 * The end of a sent payment. `declined`: the API answered that the money did not move. `rejected`: the API refused the
 * request. `unknown`: it may have moved. `not_sent`: nothing was done at all.
 */
export interface PaymentEnd {
  readonly outcome: 'done' | 'declined' | 'rejected' | 'unknown' | 'not_sent';
  /** The model's answer. */
  readonly answer: Json;
  /** It may have been made without its key, and must never be sent again. */
  readonly isUnkeyed?: boolean | undefined;
}

/** One try of a payment: its key, its phone call, what it's paid with, and how it ended if that is known. */
export interface Try {
  readonly key: string;
  readonly callId: string;
  readonly by: Json;
  readonly end?: PaymentEnd;
  /** Milliseconds since 1970. */
  readonly endedAt?: number;
  readonly note?: Json | undefined;
  /** The phone call that learned of it last, and when. */
  readonly told?: Json | undefined;
  /** It may have been made without its key: only its end in the API can be known. */
  readonly isUnkeyed?: boolean | undefined;
}

export type EndedTry = Try & Required<Pick<Try, 'end' | 'endedAt'>>;

export const isEnded = (one: Try): one is EndedTry => one.end !== undefined && one.endedAt !== undefined;

/** Tries of one payment with one card within one phone call. */
const maximumTries = 2;

/** The phone call and the means of payment. */
type Payer = Pick<Try, 'callId' | 'by'>;

interface Keys {
  readonly isUnkeyed?: boolean | undefined;
  readonly keyOf?: ((ordinal: number) => string | undefined) | undefined;
}

export const isPaidWith = ({ by }: Pick<Try, 'by'>, one: Pick<Try, 'by'>): boolean =>
  JSON.stringify(one.by) === JSON.stringify(by);

const isOwn = (payer: Payer, one: Try) => one.callId === payer.callId && isPaidWith(payer, one);

/** The try that was paid within the window. */
export const paidWithin = (tries: readonly Try[], windowMs: number): EndedTry | undefined =>
  tries.filter(isEnded).findLast(({ end, endedAt }) => end.outcome === 'done' && Date.now() < endedAt + windowMs);

/** The last of this payer's tries that failed, once there are too many of them. */
export const lastOfTooMany = (tries: readonly Try[], payer: Payer): EndedTry | undefined =>
  tries.filter(isEnded).filter((one) => isOwn(payer, one) && !isLeftOrDone(one))[maximumTries - 1];

const isLeftOrDone = ({ end: { outcome } }: EndedTry): boolean => outcome === 'done' || outcome === 'unknown';

/** Ends a try whose end stays unknown. */
export const leaveOpen = (one: Try): EndedTry => ({
  ...one,
  end: { outcome: 'unknown', answer: null },
  endedAt: Date.now(),
});

/** The tries that are still worth storing, and the next one. */
export const withNextTry = (
  tries: readonly Try[],
  {
    intent,
    payer: { callId, by, keyOf, isUnkeyed },
    note,
  }: { readonly intent: string; readonly payer: Payer & Keys; readonly note: Json | undefined },
): { readonly next: Try; readonly all: readonly Try[] } => {
  const ordinal = tries.filter((one) => isOwn({ callId, by }, one)).length + 1;
  const next: Try = { key: keyOf?.(ordinal) ?? tryKey(intent, by, callId, ordinal), callId, by, note, isUnkeyed };
  return { next, all: [...tries.filter(isRecent), next] };
};

const isRecent = (one: Try) => !isEnded(one) || Date.now() < one.endedAt + retainMs;

/** A repetition that is refused otherwise says nothing about the first try. */
export const isAnswer = ({ outcome }: PaymentEnd): boolean => outcome === 'done' || outcome === 'declined';

export const isFinal = (end: PaymentEnd): boolean => isAnswer(end) || end.outcome === 'rejected';

export const retainMs = 30 * dayMs;

/** Makes the stored form of an intent. All of a try is JSON. */
export const toStoredTries = (tries: readonly Try[]): Json & object => ({ tries }) as object as Json & object;

export const readStoredTries = (book: Json): readonly Try[] => {
  const kept: unknown = typeof book === 'object' && book !== null && 'tries' in book ? book.tries : [];
  // Only `toStoredTries` writes here; anything else isn't ours.
  return kept as readonly Try[];
};
