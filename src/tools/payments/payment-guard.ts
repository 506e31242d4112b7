import { LRUCache } from 'lru-cache';
import type { Deadline } from '../../http/deadline.ts';
import type { Claim, IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import type { Json } from '../../stores/ports/json.ts';
import { dayMs, sleep } from '../../core/timers.ts';
import {
  toStoredTries,
  type EndedTry,
  isAnswer,
  isEnded,
  isFinal,
  isPaidWith,
  leaveOpen,
  lastOfTooMany,
  type PaymentEnd,
  type PaymentFacts,
  paidWithin,
  paymentIntent,
  readStoredTries,
  retainMs,
  type Try,
  withNextTry,
} from './payment-tries.ts';

/** A payment that a model asked for, or a write that is done once. */
export interface GuardedPayment extends PaymentFacts {
  readonly callId: string;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
  /** The idempotency key of a try, if it isn't made here. */
  readonly keyOf?: ((ordinal: number) => string | undefined) | undefined;
  /** Makes what a model reads while its end is unknown. */
  readonly unknownAnswer: (one?: Pick<Try, 'isUnkeyed'>) => Json;
  /** The time for which a payment that was made answers for the next one. @defaultValue 24 hours */
  readonly windowMs?: number | undefined;
  /** Kept with the payment as it is before it's sent, for `mayRepeat`. */
  readonly note?: (() => Json | Promise<Json>) | undefined;
  /** Decides by the note of the last time whether it may be made again within the window. @defaultValue it may not */
  readonly mayRepeat?: ((note: Json, told: Json | undefined) => boolean | Promise<boolean>) | undefined;
  /** It knows no keys: while its end is unknown, it isn't sent again. */
  readonly isUnkeyed?: boolean | undefined;
  /** Kept with a try that answers the next one. */
  readonly told?: (() => Json) | undefined;
  /** Decides if another try is made although the end of this one is unknown. @defaultValue none is made */
  readonly mayLeave?: ((one: Try) => boolean) | undefined;
  /** The time for which an end that is unknown is kept. @defaultValue 30 days */
  readonly keptMs?: number | undefined;
}

export interface GuardedEnd extends PaymentEnd {
  readonly idempotencyKey: string | undefined;
  /** Nothing was sent for this: it's how an earlier try ended. */
  readonly replayed: boolean;
}

/** Makes each payment once, in all phone calls and processes that share the store. */
export interface PaymentGuard {
  /**
   * Sends the payment with a key that is stored first, or gives what is already known of it. Rejects when the store
   * fails before anything was sent.
   */
  pay(payment: GuardedPayment, send: (sending: SendingPayment) => Promise<PaymentEnd>): Promise<GuardedEnd>;
  /** The end of the same payment, if it was made within its window. Nothing is sent. */
  paidBefore(payment: GuardedPayment): Promise<GuardedEnd | undefined>;
  /** Returns whether the same payment was made within its window, or may have been. Nothing is sent. */
  isKnown(payment: GuardedPayment): Promise<boolean>;
  /** Stores the end of a payment that wasn't waited for. */
  settle(payment: GuardedPayment, sent: SendingPayment, end: PaymentEnd): Promise<void>;
}

export interface SendingPayment {
  readonly idempotencyKey: string;
  /** It was sent before with this key, and that try's end is unknown. */
  readonly isRepeat: boolean;
}

export interface PaymentGuardOptions {
  readonly store: IdempotencyStore;
  /** Gets the error of a store that failed after a payment was sent; the payment itself isn't affected. */
  readonly onStoreError: (error: unknown) => void;
}

/**
 * Each intent (tenant, tool, what is paid) has one key in the store, which holds all tries of it. It's claimed while a
 * try is sent. A try without an end is repeated with its own idempotency key. One that was paid answers everyone for
 * `windowMs`, and one that was refused makes room for another.
 */
export const createPaymentGuard = ({ store, onStoreError }: PaymentGuardOptions): PaymentGuard => {
  const inFlight = new Map<string, { readonly payment: GuardedPayment; readonly end: Promise<GuardedEnd> }>();
  const records = createTryRecords(store);
  const { noteOf, mayRepeat, endWithoutSending } = createDecisions(onStoreError);

  const pay = async (payment: GuardedPayment, send: Send): Promise<GuardedEnd> => {
    const intent = paymentIntent(payment);
    const running = inFlight.get(intent);
    if (running) {
      const end = await running.end;
      const isSame = running.payment.callId === payment.callId && isPaidWith(payment, running.payment);
      return isSame || end.outcome === 'unknown' ? { ...end, replayed: true } : pay(payment, send);
    }
    const end = payAlone(intent, payment, send);
    inFlight.set(intent, { payment, end });
    try {
      return await end;
    } finally {
      inFlight.delete(intent);
    }
  };

  const payAlone = async (intent: string, payment: GuardedPayment, send: Send): Promise<GuardedEnd> => {
    try {
      const turn = await takeTurn(intent, payment);
      return 'outcome' in turn ? turn : await sendInTurn(turn, { intent, payment, send });
    } catch (error) {
      // An earlier try may have moved the money, so "nothing was sent" would be wrong.
      const end = records.isOpen(intent)
        ? stillUnknown(payment)
        : await endWithoutSending(payment, records.triesOf(intent), false);
      if (!end) throw error;
      onStoreError(error);
      return end;
    }
  };

  /** Claims the intent, waiting while another process holds it, or gives the end that answers the payment. */
  const takeTurn = async (intent: string, payment: GuardedPayment): Promise<Turn | GuardedEnd> => {
    let hasWaited = false;
    for (;;) {
      const claimed = await records.claim(intent, { ...claimOptions(intent, payment), reopen: true });
      if (claimed.state === 'conflict') throw new Error('the idempotency store answered conflict for a payment');
      if (claimed.state !== 'in-progress') {
        // With `reopen` there is a claim.
        const { claim = '' } = claimed;
        const tries = records.triesIn(intent, claimed);
        records.remember(intent, tries);
        const last = tries.at(-1);
        const end = last && !isEnded(last) ? undefined : await endWithoutSending(payment, tries, hasWaited);
        if (end) await records.put(intent, { claim, tries: withTold(intent, tries, payment) }).catch(onStoreError);
        return end ?? { claim, tries };
      }
      hasWaited = true;
      records.remember(intent, records.triesOf(intent), true);
      for (let wait = claimed.retryAfterMs; ; ) {
        const waitMs = Math.min(wait, pollMs);
        if (payment.deadline.remainingMs() <= waitMs || payment.signal.aborted) return stillUnknown(payment);
        await sleep(waitMs, payment.signal).catch(() => {});
        const kept = await records.read(intent);
        if (kept?.state !== 'in-progress') break;
        wait = kept.retryAfterMs;
      }
    }
  };

  const withTold = (intent: string, tries: readonly Try[], { told }: GuardedPayment): readonly Try[] => {
    if (!told) return tries;
    const all = tries.map((one) => ({ ...one, told: told() }));
    records.remember(intent, all);
    return all;
  };

  const sendInTurn = async (turn: Turn, asked: Asked): Promise<GuardedEnd> => {
    const { intent, payment } = asked;
    const last = turn.tries.at(-1);
    const isLeft = last && !isEnded(last) && payment.mayLeave?.(last) === true;
    if (last && !isEnded(last) && !isLeft) {
      if (isPaidWith(payment, last) && !last.isUnkeyed) return sendTry(last, { ...asked, turn, isRepeat: true });
      // Another card may have paid already, or the same one without its key.
      await records.put(intent, { ...turn, tries: withTold(intent, turn.tries, payment) });
      return stillUnknown(payment, last);
    }
    const before = isLeft ? turn.tries.map((one) => (one === last ? leaveOpen(one) : one)) : turn.tries;
    const { next, all } = withNextTry(before, { intent, payer: payment, note: await noteOf(payment) });
    const { leaseMs } = claimOptions(intent, payment);
    const withNext = { claim: turn.claim, tries: all };
    if (!(await records.put(intent, withNext, leaseMs))) return stillUnknown(payment);
    return sendTry(next, { ...asked, turn: withNext, isRepeat: false });
  };

  const sendTry = async (
    one: Try,
    sending: Asked & { readonly turn: Turn; readonly isRepeat: boolean },
  ): Promise<GuardedEnd> => {
    const { intent, payment, turn, isRepeat, send } = sending;
    records.remember(intent, turn.tries);
    const sent = await send({ idempotencyKey: one.key, isRepeat });
    const isStillOpen = isRepeat && !isAnswer(sent) && sent.outcome !== 'unknown';
    const end: PaymentEnd = isStillOpen ? { outcome: 'unknown', answer: payment.unknownAnswer() } : sent;
    try {
      await records.storeEnd(end, { intent, turn, one });
    } catch (error) {
      onStoreError(error);
    }
    return { ...end, idempotencyKey: one.key, replayed: false };
  };

  /** Another process may be at work on an intent whose state isn't there. */
  const lookUp = async (payment: GuardedPayment) => {
    const intent = paymentIntent(payment);
    const kept = await records.read(intent).catch(onStoreError);
    const tries = kept?.state === 'finished' ? readStoredTries(kept.result) : records.triesOf(intent);
    const isOpen = records.isOpen(intent) || (kept !== undefined && kept.state !== 'finished');
    return { paid: paidWithin(tries, payment.windowMs ?? dayMs), isOpen };
  };

  return {
    pay,
    paidBefore: async (payment) => {
      const { paid } = await lookUp(payment);
      return paid && !(await mayRepeat(payment, paid)) ? replay(paid) : undefined;
    },
    isKnown: async (payment) => {
      const { paid, isOpen } = await lookUp(payment);
      return isOpen || paid !== undefined;
    },
    settle: async (payment, { idempotencyKey, isRepeat }, end) => {
      if (!(isRepeat ? isAnswer(end) : isFinal(end))) return;
      const intent = paymentIntent(payment);
      const ended = (one: Try) => (one.key === idempotencyKey ? { ...one, end, endedAt: Date.now() } : one);
      records.remember(intent, records.triesOf(intent).map(ended));
      const claim = await records.claim(intent, claimOptions(intent, payment));
      if (claim.state !== 'new' && claim.state !== 'unknown') return;
      const { callId, by } = payment;
      const tries = claim.state === 'new' ? [] : readStoredTries(claim.note);
      const turn = { claim: claim.claim, tries };
      const one =
        claim.state === 'new' ? { key: idempotencyKey, callId, by, note: await noteOf(payment) } : tries.at(-1);
      if (one?.key === idempotencyKey) await records.storeEnd(end, { intent, turn, one });
      else await records.put(intent, turn);
    },
  };
};

/** The tries of all intents in the store, and as this process knows them: the store may go away. */
const createTryRecords = (store: IdempotencyStore) => {
  const known = new LRUCache<string, KnownTries>({ maxSize: mostKnown, sizeCalculation: () => 1 });
  const triesOf = (intent: string) => known.get(intent)?.tries ?? [];
  const remember = (intent: string, tries: readonly Try[], isOpen = tries.some((one) => !isEnded(one))) =>
    void known.set(intent, { tries, isOpen });

  /** The stored tries of an intent, with the ends that this process couldn't store. */
  const triesIn = (intent: string, claimed: Exclude<Claim, { state: 'in-progress' | 'conflict' }>): readonly Try[] => {
    const own = triesOf(intent);
    if (claimed.state === 'new') return own;
    const kept = readStoredTries(claimed.state === 'finished' ? claimed.result : claimed.note);
    return kept.map((one) => (isEnded(one) ? one : { ...one, ...own.find(({ key }) => key === one.key) }));
  };

  /** Stores the tries. While one is open, its claim lasts for `leaseMs`. */
  const put = (intent: string, { claim, tries }: Turn, leaseMs = 0): Promise<boolean> => {
    const last = tries.at(-1);
    const stored = toStoredTries(tries);
    if (!last || isEnded(last)) return store.settle(storeKey(intent), claim, stored);
    return store.renew(storeKey(intent), claim, { leaseMs, note: stored });
  };

  const storeEnd = async (
    end: PaymentEnd,
    { intent, turn, one }: { readonly intent: string; readonly turn: Turn; readonly one: Try },
  ): Promise<void> => {
    const { claim, tries } = turn;
    const others = tries.filter(({ key }) => key !== one.key);
    if (end.outcome === 'unknown') {
      const all = end.isUnkeyed ? [...others, { ...one, isUnkeyed: true }] : tries;
      remember(intent, all);
      return void (await put(intent, { claim, tries: all }));
    }
    const left = end.outcome === 'not_sent' ? others : [...others, { ...one, end, endedAt: Date.now() }];
    // Before it's stored: it has ended even if the store fails.
    remember(intent, left);
    if (left.length > 0) await put(intent, { claim, tries: left });
    else await store.release(storeKey(intent), claim);
  };

  return {
    triesOf,
    isOpen: (intent: string) => known.get(intent)?.isOpen === true,
    remember,
    claim: (intent: string, options: Parameters<IdempotencyStore['claim']>[1]) =>
      store.claim(storeKey(intent), options),
    read: (intent: string) => store.read(storeKey(intent)),
    triesIn,
    put,
    storeEnd,
  };
};

/** The decisions that ask the application. A note or rule that fails is reported, and the payment goes on. */
const createDecisions = (report: (error: unknown) => void) => {
  /** The payment counts, with or without a note. */
  const noteOf = async ({ note }: GuardedPayment): Promise<Json | undefined> => {
    try {
      return await note?.();
    } catch (error) {
      report(error);
      return undefined;
    }
  };

  const mayRepeat = async (payment: GuardedPayment, { note = null, told }: Try): Promise<boolean> => {
    try {
      return (await payment.mayRepeat?.(note, told)) === true;
    } catch (error) {
      report(error);
      return false;
    }
  };

  /** The end that answers the payment, so that nothing has to be sent. */
  const endWithoutSending = async (
    payment: GuardedPayment,
    tries: readonly Try[],
    hasWaited: boolean,
  ): Promise<GuardedEnd | undefined> => {
    const paid = paidWithin(tries, payment.windowMs ?? dayMs);
    if (paid && !(await mayRepeat(payment, paid))) return replay(paid);
    const last = tries.at(-1);
    // Two who asked at the same moment get one answer.
    if (!paid && hasWaited && last && isEnded(last) && isPaidWith(payment, last)) return replay(last);
    const refused = lastOfTooMany(tries, payment);
    return refused && replay(refused);
  };

  return { noteOf, mayRepeat, endWithoutSending };
};

const stillUnknown = ({ unknownAnswer }: GuardedPayment, one?: Try): GuardedEnd => ({
  outcome: 'unknown',
  answer: unknownAnswer(one),
  idempotencyKey: undefined,
  replayed: false,
});

const replay = ({ key, end }: EndedTry): GuardedEnd => ({ ...end, idempotencyKey: key, replayed: true });

type Send = (sending: SendingPayment) => Promise<PaymentEnd>;

/** An intent, as one process knows it. */
interface KnownTries {
  readonly tries: readonly Try[];
  /** One of them may still move money, or another process sends one. */
  readonly isOpen: boolean;
}

/** The right to send a payment. */
interface Turn {
  readonly claim: string;
  readonly tries: readonly Try[];
}

interface Asked {
  readonly intent: string;
  readonly payment: GuardedPayment;
  readonly send: Send;
}

const mostKnown = 10_000;

const pollMs = 200;

const storeKey = (intent: string) => `payment:${intent}`;

/** The lease outlives the deadline. An open payment is kept longer than any phone call lasts. */
const claimOptions = (intent: string, { deadline, windowMs = dayMs, keptMs = retainMs }: GuardedPayment) => ({
  fingerprint: intent,
  leaseMs: deadline.remainingMs() + 5_000,
  retainMs: Math.max(keptMs, windowMs),
});
