import { type Clock, sleepOn } from '../clock.ts';
import type { Deadline } from '../http/deadline.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { Json } from '../ports/json.ts';
import { type PaymentFacts, paymentIntent, paymentKey } from './payment-key.ts';

/** A payment that a model asked for. */
export interface GuardedPayment extends PaymentFacts {
  readonly callId: string;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
}

/**
 * How sending a payment ended. `declined`: the API answered that the money did not move. `rejected`: the API refused
 * the request. `unknown`: it may have moved. `not_sent`: nothing was done at all.
 */
export interface PaymentEnd {
  readonly outcome: 'done' | 'declined' | 'rejected' | 'unknown' | 'not_sent';
  /** What the model is told. */
  readonly answer: Json;
}

export interface GuardedEnd extends PaymentEnd {
  readonly idempotencyKey: string | undefined;
  /** Nothing was sent for this: it is what an earlier try of this phone call gave. */
  readonly replayed: boolean;
}

/** Makes each payment once, however often and from wherever it is asked for. */
export interface PaymentGuard {
  /**
   * Sends the payment with a key that is stored first, or gives what is already known of it. Rejects when the store
   * fails before anything was sent.
   */
  pay(payment: GuardedPayment, send: (sending: SendingPayment) => Promise<PaymentEnd>): Promise<GuardedEnd>;
  /** Takes down the end of a payment that was not waited for. */
  settle(payment: GuardedPayment, sent: SendingPayment, end: PaymentEnd): Promise<void>;
}

export interface SendingPayment {
  readonly idempotencyKey: string;
  /** It was sent before, and nobody knows what came of it. */
  readonly isTakenUp: boolean;
}

export interface PaymentGuardOptions {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  /** What a model is told while nobody can tell how the payment ended. */
  readonly unknownAnswer: Json;
  /** Tries of one payment within one phone call. @defaultValue 2 */
  readonly maximumTries?: number;
  /** Hears a store that failed after the payment was sent; the payment itself is not affected. */
  readonly onStoreError: (error: unknown) => void;
}

/**
 * The intent (tenant, tool, arguments) is one key of the store, held while a payment is sent: its note says with which
 * idempotency key. A note without an end is taken up, with that key, by whoever asks next. The ends are kept per phone
 * call, so that the same call hears the same answer and another call can pay again.
 */
export const createPaymentGuard = ({
  store,
  clock,
  unknownAnswer,
  maximumTries = 2,
  onStoreError,
}: PaymentGuardOptions): PaymentGuard => {
  const inFlight = new Map<string, { readonly callId: string; readonly end: Promise<GuardedEnd> }>();
  const sleep = sleepOn(clock);

  const pay = async (payment: GuardedPayment, send: Send, hasWaited = false): Promise<GuardedEnd> => {
    const intent = paymentIntent(payment);
    const running = inFlight.get(intent);
    if (running) {
      const end = await running.end;
      // Another phone call keeps the end as its own, so that it is not paid again there.
      const isOwn = running.callId === payment.callId;
      return isOwn || !isFinal(end) ? { ...end, replayed: true } : pay(payment, send, true);
    }
    const end = payAlone(intent, payment, send, hasWaited);
    inFlight.set(intent, { callId: payment.callId, end });
    try {
      return await end;
    } finally {
      inFlight.delete(intent);
    }
  };

  const payAlone = async (
    intent: string,
    payment: GuardedPayment,
    send: Send,
    hasWaited: boolean,
  ): Promise<GuardedEnd> => {
    const held = await hold(intent, payment);
    if (!held) return stillUnknown;
    const { claim, note, waited } = held;
    if (note && !note.end) return sendWith(note, { isTakenUp: true, intent, payment, claim, send });

    const giveBack = () => (note ? putNote(intent, claim, note) : store.release(openKey(intent), claim));
    const tries = await triesOf(intent, payment.callId);
    const known = tries.find(({ outcome }) => outcome === 'done') ?? tries[maximumTries - 1];
    if (known) {
      await giveBack();
      return { outcome: known.outcome, answer: known.answer, idempotencyKey: known.key, replayed: true };
    }
    const isOurs = waited || hasWaited || (note?.callId === payment.callId && note.end?.outcome === 'done');
    if (note?.end && isOurs) {
      await record(intent, payment.callId, note.key, note.end);
      await giveBack();
      return { ...note.end, idempotencyKey: note.key, replayed: true };
    }

    const sending: Note = { key: paymentKey(intent, payment.callId, tries.length + 1), callId: payment.callId };
    const stored = await putNote(intent, claim, sending);
    const again = stored ? await store.claim(openKey(intent), openOptions(intent, payment)) : undefined;
    // Another process has taken it up between the two: its end is waited for.
    if (again?.state === 'in-progress') return payAlone(intent, payment, send, true);
    if (again?.state !== 'unknown') return stillUnknown;
    // Another process was faster; its key stands in the note.
    const current = readNote(again.note) ?? sending;
    if (current.key !== sending.key) {
      await putNote(intent, again.claim, current);
      return payAlone(intent, payment, send, true);
    }
    return sendWith(sending, { isTakenUp: false, intent, payment, claim: again.claim, send });
  };

  /** Waits while another process holds the intent; `undefined` when the time is up first. */
  const hold = async (intent: string, payment: GuardedPayment) => {
    for (let waited = false; ; waited = true) {
      const claim = await store.claim(openKey(intent), openOptions(intent, payment));
      if (claim.state === 'new') return { claim: claim.claim, note: undefined, waited };
      if (claim.state === 'unknown') return { claim: claim.claim, note: readNote(claim.note), waited };
      if (claim.state !== 'in-progress') throw new Error(`the idempotency store answered ${claim.state} for a payment`);
      const waitMs = Math.min(claim.retryAfterMs, pollMs);
      if (payment.deadline.remainingMs() <= waitMs || payment.signal.aborted) return undefined;
      await sleep(waitMs, payment.signal).catch(() => {});
    }
  };

  const sendWith = async (note: Note, { isTakenUp, intent, payment, claim, send }: Sending): Promise<GuardedEnd> => {
    const sent = await send({ idempotencyKey: note.key, isTakenUp });
    const isOpen = isTakenUp && !isAnswer(sent) && sent.outcome !== 'unknown';
    const end: PaymentEnd = isOpen ? { outcome: 'unknown', answer: unknownAnswer } : sent;
    try {
      await keep(end, { intent, payment, note, claim });
    } catch (error) {
      onStoreError(error);
    }
    return { ...end, idempotencyKey: note.key, replayed: false };
  };

  const keep = async (end: PaymentEnd, { intent, payment, note, claim }: Kept): Promise<void> => {
    if (end.outcome === 'not_sent') return store.release(openKey(intent), claim);
    if (end.outcome === 'unknown') return void (await putNote(intent, claim, note));
    // Before the intent is free: whoever asks next must find it.
    for (const callId of new Set([payment.callId, note.callId])) await record(intent, callId, note.key, end);
    if (!(await putNote(intent, claim, { ...note, end }))) return;
    await shorten(intent, { ...note, end });
  };

  /** A settled intent is only kept for those who wait for it right now. */
  const shorten = async (intent: string, note: Note) => {
    const again = await store.claim(openKey(intent), { fingerprint: intent, leaseMs: 5_000, retainMs: 120_000 });
    if (again.state === 'unknown') await putNote(intent, again.claim, readNote(again.note) ?? note);
  };

  const putNote = (intent: string, claim: string, note: Note) =>
    store.settle(openKey(intent), claim, { unknown: note as unknown as Json });

  const record = async (intent: string, callId: string, key: string, { outcome, answer }: PaymentEnd) => {
    const known = await triesOf(intent, callId);
    if (known.some((one) => one.key === key)) return;
    const name = recordKey(intent, callId, known.length + 1);
    const claim = await store.claim(name, recordOptions(intent));
    if (claim.state === 'new') await store.settle(name, claim.claim, { outcome, answer, key });
  };

  /** The settled tries of one phone call, in order. */
  const triesOf = async (intent: string, callId: string): Promise<readonly Try[]> => {
    const tries: Try[] = [];
    for (;;) {
      const name = recordKey(intent, callId, tries.length + 1);
      const claim = await store.claim(name, recordOptions(intent));
      if (claim.state === 'new') await store.release(name, claim.claim);
      if (claim.state !== 'finished') return tries;
      // Only `record` writes here.
      tries.push(claim.result as unknown as Try);
    }
  };

  const stillUnknown: GuardedEnd = {
    outcome: 'unknown',
    answer: unknownAnswer,
    idempotencyKey: undefined,
    replayed: false,
  };

  return {
    pay: (payment, send) => pay(payment, send),
    settle: async (payment, { idempotencyKey, isTakenUp }, end) => {
      if (!(isTakenUp ? isAnswer(end) : isFinal(end))) return;
      const intent = paymentIntent(payment);
      await record(intent, payment.callId, idempotencyKey, end);
      const claim = await store.claim(openKey(intent), openOptions(intent, payment));
      if (claim.state === 'new') return store.release(openKey(intent), claim.claim);
      if (claim.state !== 'unknown') return;
      const note = readNote(claim.note);
      if (note && note.key === idempotencyKey) await keep(end, { intent, payment, note, claim: claim.claim });
      else if (note) await putNote(intent, claim.claim, note);
    },
  };
};

type Send = (sending: SendingPayment) => Promise<PaymentEnd>;

/** With which key a payment was sent, for which phone call, and how it ended if that is known. */
interface Note {
  readonly key: string;
  readonly callId: string;
  readonly end?: PaymentEnd;
}

interface Kept {
  readonly intent: string;
  readonly payment: GuardedPayment;
  readonly note: Note;
  readonly claim: string;
}

interface Sending extends Omit<Kept, 'note'> {
  readonly isTakenUp: boolean;
  readonly send: Send;
}

interface Try extends PaymentEnd {
  readonly key: string;
}

/** Whoever repeats a payment and is refused otherwise knows nothing of the first try. */
const isAnswer = ({ outcome }: PaymentEnd) => outcome === 'done' || outcome === 'declined';

const isFinal = (end: PaymentEnd) => isAnswer(end) || end.outcome === 'rejected';

const pollMs = 200;
const dayMs = 24 * 60 * 60 * 1000;

const openKey = (intent: string) => `payment:${intent}`;

const recordKey = (intent: string, callId: string, ordinal: number) => `payment:${intent}:${callId}:${ordinal}`;

/** The lease outlives the deadline, the retention every phone call: an open payment must not be forgotten. */
const openOptions = (intent: string, { deadline }: GuardedPayment) => ({
  fingerprint: intent,
  leaseMs: deadline.remainingMs() + 5_000,
  retainMs: 30 * dayMs,
});

const recordOptions = (intent: string) => ({ fingerprint: intent, leaseMs: 5_000, retainMs: dayMs });

/** Only `putNote` writes notes; anything else is not ours. */
const readNote = (note: Json): Note | undefined =>
  typeof note === 'object' && note !== null && 'key' in note && 'callId' in note
    ? (note as unknown as Note)
    : undefined;
