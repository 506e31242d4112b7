import { describe, expect, test } from 'vitest';
import { deadlineIn } from '../../../src/http/deadline.ts';
import type { IdempotencyStore } from '../../../src/stores/ports/idempotency-store.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { countStoreCalls } from '../../support/count-store-calls.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';
import { createPaymentGuard, type GuardedPayment } from '../../../src/tools/payments/payment-guard.ts';
import { type PaymentEnd, paymentIntent, tryKey } from '../../../src/tools/payments/payment-tries.ts';

const what = { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 50 };
const facts = { tenant: 't', tool: 'create_payment', what, by: 'pm_1', intent: undefined };
const keyOf = (callId: string, ordinal: number, by = 'pm_1') => tryKey(paymentIntent(facts), by, callId, ordinal);

const ended = (outcome: PaymentEnd['outcome'], answer: string = outcome): PaymentEnd => ({ outcome, answer });

interface Bank {
  /** Every key that was sent. */
  readonly sent: string[];
  readonly send: (sending: { readonly idempotencyKey: string }) => Promise<PaymentEnd>;
}

/** Answers each sending with the next end; a function may wait. */
const createBank = (...ends: readonly (PaymentEnd | (() => Promise<PaymentEnd>))[]): Bank => {
  const sent: string[] = [];
  return {
    sent,
    send: async ({ idempotencyKey }) => {
      const end = ends[sent.length];
      sent.push(idempotencyKey);
      if (!end) throw new Error('nothing more was expected to be sent');
      return typeof end === 'function' ? end() : end;
    },
  };
};

const start = (options: { store?: IdempotencyStore; clock?: VirtualClock } = {}) => {
  const clock = options.clock ?? createVirtualClock();
  const store = options.store ?? createMemoryIdempotencyStore({});
  const storeErrors: unknown[] = [];
  const process = () =>
    createPaymentGuard({
      store,
      onStoreError: (error) => storeErrors.push(error),
    });
  const payment = (own: Partial<GuardedPayment> = {}): GuardedPayment => ({
    ...facts,
    callId: 'CA1',
    deadline: deadlineIn(8_000),
    signal: new AbortController().signal,
    unknownAnswer: () => 'not known',
    ...own,
  });
  return { clock, store, storeErrors, process, payment };
};

/** A promise that is settled from outside. */
const pending = () => {
  let end: (value: PaymentEnd) => void = () => {};
  const promise = new Promise<PaymentEnd>((resolve) => {
    end = resolve;
  });
  return { answer: () => promise, end };
};

describe('a payment made by a model', () => {
  test('is sent with a key of its own and answered as the bank answers', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('done', 'paid'));

    expect(await process().pay(payment(), bank.send)).toEqual({
      outcome: 'done',
      answer: 'paid',
      idempotencyKey: keyOf('CA1', 1),
      replayed: false,
    });
    expect(bank.sent).toEqual([keyOf('CA1', 1)]);
  });

  test('is stored before it is sent', async () => {
    const { payment, store } = start();
    const seen: unknown[] = [];
    const recording: IdempotencyStore = {
      ...store,
      renew: async (key, claim, options) => {
        seen.push(options.note);
        return store.renew(key, claim, options);
      },
    };
    const other = start({ store: recording });
    const sent: string[] = [];
    await other.process().pay(payment(), async ({ idempotencyKey }) => {
      sent.push(idempotencyKey);
      expect(seen).toEqual([{ tries: [{ key: idempotencyKey, callId: 'CA1', by: 'pm_1' }] }]);
      return ended('done');
    });
    expect(sent).toHaveLength(1);
  });

  test('is charged once when it is asked for again in the same phone call', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('done', 'paid'));
    const guard = process();
    await guard.pay(payment(), bank.send);

    expect(await guard.pay(payment(), bank.send)).toMatchObject({ answer: 'paid', replayed: true });
    expect(bank.sent).toHaveLength(1);
  });

  test('is charged once when it is asked for twice at the same time', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('done', 'paid'));
    const guard = process();

    const ends = await Promise.all([guard.pay(payment(), bank.send), guard.pay(payment(), bank.send)]);

    expect(ends.map(({ answer, replayed }) => [answer, replayed])).toEqual([
      ['paid', false],
      ['paid', true],
    ]);
    expect(bank.sent).toHaveLength(1);
  });

  test('is not sent, and said to be unknown, when its lease ended before it could be stored', async () => {
    const memory = createMemoryIdempotencyStore({});
    const { process, payment } = start({ store: { ...memory, renew: async () => false } });
    const bank = createBank();

    expect(await process().pay(payment(), bank.send)).toMatchObject({ outcome: 'unknown', answer: 'not known' });
    expect(bank.sent).toEqual([]);
  });

  test('is charged once when two processes of one store are asked at the same time', async () => {
    const { process, payment, clock } = start();
    const first = pending();
    const bank = createBank(first.answer);
    const one = process().pay(payment(), bank.send);
    await clock.advance(0);
    const two = process().pay(payment({ callId: 'CA2' }), bank.send);
    await clock.advance(500);
    first.end(ended('done', 'paid'));
    await clock.advance(500);

    expect(await one).toMatchObject({ answer: 'paid', replayed: false });
    expect(await two).toMatchObject({ answer: 'paid', replayed: true });
    expect(bank.sent).toHaveLength(1);
  });

  test('is refused for both of two processes that ask at the same moment, and sent once', async () => {
    const { process, payment, clock } = start();
    const first = pending();
    const bank = createBank(first.answer);
    const one = process().pay(payment(), bank.send);
    await clock.advance(0);
    const two = process().pay(payment(), bank.send);
    await clock.advance(500);
    first.end(ended('declined', 'no funds'));
    await clock.advance(500);

    expect(await one).toMatchObject({ outcome: 'declined', answer: 'no funds', replayed: false });
    expect(await two).toMatchObject({ outcome: 'declined', answer: 'no funds', replayed: true });
    expect(bank.sent).toHaveLength(1);
  });

  test('keeps the answer of another phone call as its own after it had waited for it', async () => {
    const { process, payment, clock } = start();
    const first = pending();
    const bank = createBank(first.answer);
    const guard = process();
    const one = guard.pay(payment(), bank.send);
    const two = guard.pay(payment({ callId: 'CA2' }), bank.send);
    first.end(ended('done', 'paid'));
    await Promise.all([one, two]);

    await clock.advance(3_600_000);
    expect(await guard.pay(payment({ callId: 'CA2' }), bank.send)).toMatchObject({ answer: 'paid', replayed: true });
    expect(bank.sent).toHaveLength(1);
  });

  test('answers a later phone call for 24 hours, in every process of the store, then can be made again', async () => {
    const { process, payment, clock } = start();
    const bank = createBank(ended('done', 'first'), ended('done', 'second'));
    await process().pay(payment(), bank.send);
    await clock.advance(24 * 3_600_000 - 1);

    const again = await process().pay(payment({ callId: 'CA2' }), bank.send);
    await clock.advance(1);
    const later = await process().pay(payment({ callId: 'CA3' }), bank.send);

    expect(again).toEqual({ outcome: 'done', answer: 'first', idempotencyKey: keyOf('CA1', 1), replayed: true });
    expect(later).toEqual({ outcome: 'done', answer: 'second', idempotencyKey: keyOf('CA3', 1), replayed: false });
    expect(await process().pay(payment({ callId: 'CA4' }), bank.send)).toMatchObject({ answer: 'second' });
    expect(bank.sent).toEqual([keyOf('CA1', 1), keyOf('CA3', 1)]);
  });

  test('answers for as long as it is asked to', async () => {
    const { process, payment, clock } = start();
    const bank = createBank(ended('done', 'first'), ended('done', 'second'));
    const guard = process();
    await guard.pay(payment({ windowMs: 1_000 }), bank.send);
    await clock.advance(1_000);

    expect(await guard.pay(payment({ windowMs: 1_000 }), bank.send)).toMatchObject({ answer: 'second' });
    expect(bank.sent).toEqual([keyOf('CA1', 1), keyOf('CA1', 2)]);
  });

  test('is charged once with two cards at the same moment', async () => {
    const { process, payment, clock } = start();
    const first = pending();
    const bank = createBank(first.answer);
    const paying = [
      process().pay(payment(), bank.send),
      process().pay(payment({ by: 'pm_2' }), bank.send),
      process().pay(payment({ callId: 'CA2', by: 'pm_3' }), bank.send),
    ];
    await clock.advance(500);
    first.end(ended('done', 'paid'));
    await clock.advance(500);

    expect((await Promise.all(paying)).map(({ answer, replayed }) => [answer, replayed])).toEqual([
      ['paid', false],
      ['paid', true],
      ['paid', true],
    ]);
    expect(bank.sent).toHaveLength(1);
  });

  test('waits on another card while the first is unknown, and pays with it once the first was refused', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('unknown'), ended('declined', 'no funds'), ended('done', 'paid'));
    const guard = process();
    await guard.pay(payment(), bank.send);

    expect(await guard.pay(payment({ by: 'pm_2' }), bank.send)).toMatchObject({ outcome: 'unknown' });
    expect(bank.sent).toHaveLength(1);
    expect(await guard.pay(payment(), bank.send)).toMatchObject({ answer: 'no funds' });
    expect(await guard.pay(payment({ by: 'pm_2' }), bank.send)).toMatchObject({ answer: 'paid' });
    expect(bank.sent).toEqual([keyOf('CA1', 1), keyOf('CA1', 1), keyOf('CA1', 1, 'pm_2')]);
  });

  test('can be made again within the window where the note of the last time allows it', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('done', 'first'), ended('done', 'second'));
    const guard = process();
    await guard.pay(payment({ note: () => ({ owed: 100 }) }), bank.send);
    const notes: unknown[] = [];
    const asking = (answer: boolean) => (note: unknown) => {
      notes.push(note);
      return answer;
    };

    expect(await guard.pay(payment({ mayRepeat: asking(false) }), bank.send)).toMatchObject({ answer: 'first' });
    const second = await guard.pay(payment({ mayRepeat: asking(true), note: () => ({ owed: 50 }) }), bank.send);
    expect(await guard.pay(payment({ mayRepeat: asking(false) }), bank.send)).toMatchObject({ answer: 'second' });

    expect(second).toMatchObject({ answer: 'second', replayed: false });
    expect(new Set(notes.map((note) => JSON.stringify(note)))).toEqual(new Set(['{"owed":100}', '{"owed":50}']));
    expect(bank.sent).toEqual([keyOf('CA1', 1), keyOf('CA1', 2)]);
  });

  test.each(['no', 'false', 1, {}, null])('isn’t sent again where mayRepeat answers %j', async (said) => {
    const { process, payment } = start();
    const bank = createBank(ended('done', 'first'), ended('done', 'second'));
    const guard = process();
    await guard.pay(payment(), bank.send);

    const mayRepeat = () => said as never;
    expect(await guard.pay(payment({ mayRepeat }), bank.send)).toMatchObject({ answer: 'first', replayed: true });
  });

  test('keeps the note as it was when the payment was sent, also where its end was known later', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('unknown'), ended('done', 'first'));
    const guard = process();
    let owed = 100;
    const note = () => ({ owed });
    await guard.pay(payment({ note }), bank.send);
    owed = 50;
    await guard.pay(payment({ note }), bank.send);
    const notes: unknown[] = [];
    const mayRepeat = (kept: unknown) => {
      notes.push(kept);
      return false;
    };

    await guard.pay(payment({ note, mayRepeat }), bank.send);

    expect(notes).toEqual([{ owed: 100 }]);
  });

  test('can be made again on purpose in the same phone call', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('done', 'first'), ended('done', 'second'));
    const guard = process();
    await guard.pay(payment(), bank.send);

    const second = await guard.pay(payment({ intent: 'order-2' }), bank.send);

    expect(second).toMatchObject({ answer: 'second', replayed: false });
    expect(await guard.pay(payment({ intent: 'order-2' }), bank.send)).toMatchObject({
      answer: 'second',
      replayed: true,
    });
    expect(new Set(bank.sent).size).toBe(2);
  });
});

describe('a payment that may have happened', () => {
  test('is taken up with its own key by the same phone call, and settled', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('unknown'), ended('done', 'paid'));
    const guard = process();

    expect(await guard.pay(payment(), bank.send)).toMatchObject({ outcome: 'unknown', replayed: false });
    expect(await guard.pay(payment(), bank.send)).toMatchObject({ outcome: 'done', answer: 'paid' });
    expect(await guard.pay(payment(), bank.send)).toMatchObject({ outcome: 'done', replayed: true });
    expect(bank.sent).toEqual([keyOf('CA1', 1), keyOf('CA1', 1)]);
  });

  test('is taken up with its own key by any later phone call, also in another process', async () => {
    const { process, payment, clock } = start();
    const bank = createBank(ended('unknown'), ended('unknown'), ended('done', 'paid'));
    await process().pay(payment(), bank.send);
    await clock.advance(3_600_000);
    await process().pay(payment({ callId: 'CA2' }), bank.send);
    await clock.advance(3_600_000);

    expect(await process().pay(payment({ callId: 'CA3' }), bank.send)).toMatchObject({
      answer: 'paid',
      replayed: false,
    });
    expect(new Set(bank.sent)).toEqual(new Set([keyOf('CA1', 1)]));
  });

  test('is known to both phone calls once the second has settled it', async () => {
    const { process, payment, clock } = start();
    const bank = createBank(ended('unknown'), ended('done', 'paid'));
    const guard = process();
    await guard.pay(payment(), bank.send);
    await guard.pay(payment({ callId: 'CA2' }), bank.send);
    await clock.advance(600_000);

    expect(await guard.pay(payment(), bank.send)).toMatchObject({ answer: 'paid', replayed: true });
    expect(await guard.pay(payment({ callId: 'CA2' }), bank.send)).toMatchObject({ answer: 'paid', replayed: true });
  });

  test('survives a crash between execution and answer', async () => {
    const { process, payment, clock } = start();
    const crashed = createBank(() => new Promise(() => {}));
    void process().pay(payment(), crashed.send);
    await clock.advance(20_000);
    const bank = createBank(ended('done', 'paid'));

    expect(await process().pay(payment({ callId: 'CA2' }), bank.send)).toMatchObject({ answer: 'paid' });
    expect(bank.sent).toEqual(crashed.sent);
  });

  test('is said to be unknown to a person who rings back while another process still sends it', async () => {
    const { process, payment, clock } = start();
    void process().pay(payment(), createBank(() => new Promise(() => {})).send);
    await clock.advance(0);
    const again = process().pay(payment({ callId: 'CA2' }), createBank().send);
    await clock.advance(8_000);

    expect(await again).toEqual({
      outcome: 'unknown',
      answer: 'not known',
      idempotencyKey: undefined,
      replayed: false,
    });
  });

  test.each(['rejected', 'not_sent'] as const)(
    'stays unknown when repeating it is %s, since that says nothing about the first try',
    async (outcome) => {
      const { process, payment } = start();
      const bank = createBank(ended('unknown'), ended(outcome), ended('done', 'paid'));
      const guard = process();
      await guard.pay(payment(), bank.send);

      expect(await guard.pay(payment(), bank.send)).toMatchObject({ outcome: 'unknown', answer: 'not known' });
      expect(await guard.pay(payment(), bank.send)).toMatchObject({ outcome: 'done' });
      expect(new Set(bank.sent).size).toBe(1);
    },
  );

  test('is settled as declined when the bank says so for its key', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('unknown'), ended('declined', 'no funds'), ended('done', 'paid'));
    const guard = process();
    await guard.pay(payment(), bank.send);

    expect(await guard.pay(payment(), bank.send)).toMatchObject({ outcome: 'declined', answer: 'no funds' });
    expect(await guard.pay(payment(), bank.send)).toMatchObject({ outcome: 'done', answer: 'paid' });
    expect(bank.sent).toEqual([keyOf('CA1', 1), keyOf('CA1', 1), keyOf('CA1', 2)]);
  });

  test('is settled by an end that comes after the wait for it', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('unknown'));
    const guard = process();
    const { idempotencyKey = '' } = await guard.pay(payment(), bank.send);
    await guard.settle(payment(), { idempotencyKey, isRepeat: false }, ended('done', 'paid'));

    expect(await guard.pay(payment(), bank.send)).toMatchObject({ answer: 'paid', replayed: true });
    expect(bank.sent).toHaveLength(1);
  });

  test('is settled as declined by a late end, which counts as one try however often it is reported', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('unknown'), ended('done', 'paid'));
    const guard = process();
    const { idempotencyKey = '' } = await guard.pay(payment(), bank.send);
    for (let again = 0; again < 3; again += 1)
      await guard.settle(payment(), { idempotencyKey, isRepeat: false }, ended('declined', 'no funds'));

    expect(await guard.pay(payment(), bank.send)).toMatchObject({ outcome: 'done', answer: 'paid', replayed: false });
    expect(bank.sent).toEqual([keyOf('CA1', 1), keyOf('CA1', 2)]);
  });

  test.each(['unknown', 'not_sent'] as const)('stays open when a late end is %s', async (outcome) => {
    const { process, payment } = start();
    const bank = createBank(ended('unknown'), ended('done', 'paid'));
    const guard = process();
    const { idempotencyKey = '' } = await guard.pay(payment(), bank.send);
    await guard.settle(payment(), { idempotencyKey, isRepeat: false }, ended(outcome));

    expect(await guard.pay(payment(), bank.send)).toMatchObject({ answer: 'paid', replayed: false });
    expect(bank.sent).toEqual([idempotencyKey, idempotencyKey]);
  });

  test('keeps its own key when the late end of another try is reported', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('unknown'), ended('done', 'paid'));
    const guard = process();
    await guard.pay(payment(), bank.send);
    await guard.settle(payment(), { idempotencyKey: 'of another try', isRepeat: false }, ended('declined', 'no'));

    expect(await guard.pay(payment({ callId: 'CA2' }), bank.send)).toMatchObject({ answer: 'paid', replayed: false });
    expect(bank.sent).toEqual([keyOf('CA1', 1), keyOf('CA1', 1)]);
  });

  test('is replayed by its late end, also where nothing was open any more', async () => {
    const { process, payment } = start();
    const guard = process();
    await guard.settle(payment(), { idempotencyKey: keyOf('CA1', 1), isRepeat: false }, ended('done', 'paid'));

    expect(await guard.pay(payment(), createBank().send)).toEqual({
      outcome: 'done',
      answer: 'paid',
      idempotencyKey: keyOf('CA1', 1),
      replayed: true,
    });
    expect(await guard.pay(payment({ callId: 'CA2' }), createBank().send)).toMatchObject({
      answer: 'paid',
      replayed: true,
    });
  });

  test('is not settled by a late refusal of its repetition', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('unknown'), ended('done', 'paid'));
    const guard = process();
    const { idempotencyKey = '' } = await guard.pay(payment(), bank.send);
    await guard.settle(payment(), { idempotencyKey, isRepeat: true }, ended('rejected'));

    expect(await guard.pay(payment(), bank.send)).toMatchObject({ answer: 'paid', replayed: false });
    expect(bank.sent).toEqual([idempotencyKey, idempotencyKey]);
  });
});

describe('a payment that was refused', () => {
  test.each(['declined', 'rejected'] as const)(
    'can be tried again under another key after it was %s',
    async (outcome) => {
      const { process, payment } = start();
      const bank = createBank(ended(outcome, 'no'), ended('done', 'paid'));
      const guard = process();
      await guard.pay(payment(), bank.send);

      expect(await guard.pay(payment(), bank.send)).toMatchObject({ answer: 'paid', replayed: false });
      expect(bank.sent).toEqual([keyOf('CA1', 1), keyOf('CA1', 2)]);
    },
  );

  test('is not sent a third time in one phone call, but may be in the next', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('declined', 'no'), ended('declined', 'still no'), ended('done', 'paid'));
    const guard = process();
    await guard.pay(payment(), bank.send);
    await guard.pay(payment(), bank.send);

    expect(await guard.pay(payment(), bank.send)).toMatchObject({ answer: 'still no', replayed: true });
    expect(bank.sent).toHaveLength(2);
    expect(await guard.pay(payment({ callId: 'CA2' }), bank.send)).toMatchObject({ answer: 'paid' });
  });

  test('that was never sent is tried again under the same key, as often as it takes', async () => {
    const { process, payment } = start();
    const bank = createBank(ended('not_sent'), ended('not_sent'), ended('not_sent'), ended('done', 'paid'));
    const guard = process();
    for (let again = 0; again < 3; again += 1) await guard.pay(payment(), bank.send);

    expect(await guard.pay(payment(), bank.send)).toMatchObject({ answer: 'paid' });
    expect(new Set(bank.sent)).toEqual(new Set([keyOf('CA1', 1)]));
  });
});

test('a payment takes three round trips to the store, a repetition two', async () => {
  const { clock, store } = start();
  const { counting, calls } = countStoreCalls(store);
  const { process, payment } = start({ store: counting, clock });
  const bank = createBank(ended('declined', 'no'), ended('done', 'paid'));
  const guard = process();
  const countOf = async (own: Partial<GuardedPayment> = {}) => {
    calls.length = 0;
    await guard.pay(payment(own), bank.send);
    return [...calls];
  };

  expect(await countOf()).toEqual(['claim', 'renew', 'settle']);
  expect(await countOf({ by: 'pm_2' })).toEqual(['claim', 'renew', 'settle']);
  expect(await countOf()).toEqual(['claim', 'settle']);
  expect(await countOf({ callId: 'CA2' })).toEqual(['claim', 'settle']);
  expect(bank.sent).toHaveLength(2);
});

test('a payment is leased for its deadline and five seconds, and kept for 30 days', async () => {
  const { clock, store } = start();
  const claims: unknown[] = [];
  const recording: IdempotencyStore = {
    ...store,
    claim: async (key, asked) => {
      claims.push([key.replaceAll(asked.fingerprint, 'INTENT'), asked.leaseMs, asked.retainMs]);
      return store.claim(key, asked);
    },
  };
  const { process, payment } = start({ store: recording, clock });

  await process().pay(payment({ deadline: deadlineIn(3_000) }), createBank(ended('done')).send);

  expect(claims).toEqual([['payment:INTENT', 8_000, 720 * 3_600_000]]);
});

test('a store that answers conflict for a payment sends nothing', async () => {
  const { clock, store } = start();
  const odd: IdempotencyStore = { ...store, claim: async () => ({ state: 'conflict' }) };
  const { process, payment } = start({ store: odd, clock });

  await expect(process().pay(payment(), createBank().send)).rejects.toThrow(
    'the idempotency store answered conflict for a payment',
  );
});

test('a payment that was taken back while another process holds it is not waited for', async () => {
  const { process, payment, clock } = start();
  void process().pay(payment(), createBank(() => new Promise(() => {})).send);
  await clock.advance(0);
  const taken = new AbortController();
  const again = process().pay(payment({ callId: 'CA2', signal: taken.signal }), createBank().send);
  await clock.advance(0);
  taken.abort();

  expect(await again).toMatchObject({ outcome: 'unknown', answer: 'not known', replayed: false });
});

test('what waits for another process looks again five times a second', async () => {
  const { clock, store } = start();
  let asked = 0;
  const counting: IdempotencyStore = {
    ...store,
    read: (...all) => {
      asked += 1;
      return store.read(...all);
    },
  };
  void start({ store, clock })
    .process()
    .pay(start({ clock }).payment(), createBank(() => new Promise(() => {})).send);
  await clock.advance(0);
  const { process, payment } = start({ store: counting, clock });
  const waiting = process().pay(payment({ callId: 'CA2', deadline: deadlineIn(1_000) }), createBank().send);
  for (let step = 0; step < 10; step += 1) await clock.advance(100);

  expect(await waiting).toMatchObject({ outcome: 'unknown' });
  expect(asked).toBe(4);
});

describe('a store that fails', () => {
  test('before the payment: nothing is sent', async () => {
    const { clock } = start();
    const broken: IdempotencyStore = {
      ...createMemoryIdempotencyStore({}),
      renew: () => Promise.reject(new Error('no disk')),
    };
    const { process, payment } = start({ store: broken, clock });
    const bank = createBank();

    await expect(process().pay(payment(), bank.send)).rejects.toThrow('no disk');
    expect(bank.sent).toEqual([]);
  });

  test('after an unknown payment: it stays unknown, since an earlier try may have moved the money', async () => {
    const { clock, store } = start();
    let isBroken = false;
    const breaking: IdempotencyStore = {
      ...store,
      claim: (...all) => (isBroken ? Promise.reject(new Error('no disk')) : store.claim(...all)),
    };
    const { process, payment, storeErrors } = start({ store: breaking, clock });
    const bank = createBank(ended('unknown'), ended('done', 'paid'));
    const guard = process();
    await guard.pay(payment(), bank.send);

    isBroken = true;
    const away = await guard.pay(payment(), bank.send);
    isBroken = false;

    expect(away).toEqual({
      outcome: 'unknown',
      answer: 'not known',
      idempotencyKey: undefined,
      replayed: false,
    });
    expect(storeErrors).toEqual([new Error('no disk')]);
    expect(await guard.pay(payment(), bank.send)).toMatchObject({ answer: 'paid' });
    expect(bank.sent).toEqual([keyOf('CA1', 1), keyOf('CA1', 1)]);
  });

  test('when it is asked for again: the answer is still how it ended', async () => {
    const { clock, store } = start();
    let isBroken = false;
    const breaking: IdempotencyStore = {
      ...store,
      settle: (...all) => (isBroken ? Promise.reject(new Error('no disk')) : store.settle(...all)),
    };
    const { process, payment, storeErrors } = start({ store: breaking, clock });
    const guard = process();
    await guard.pay(payment(), createBank(ended('done', 'paid')).send);
    isBroken = true;

    expect(await guard.pay(payment(), createBank().send)).toMatchObject({ answer: 'paid', replayed: true });
    expect(storeErrors).toEqual([new Error('no disk')]);
  });

  test('when it is asked whether it may be made again: it may not', async () => {
    const { process, payment, storeErrors } = start();
    const guard = process();
    await guard.pay(payment(), createBank(ended('done', 'paid')).send);
    const mayRepeat = () => Promise.reject(new Error('no disk'));

    expect(await guard.pay(payment({ mayRepeat }), createBank().send)).toMatchObject({
      answer: 'paid',
      replayed: true,
    });
    expect(storeErrors).toEqual([new Error('no disk')]);
  });

  test('while another process sends the payment, or has left it open: it stays unknown', async () => {
    const { clock, store } = start();
    const taking = pending();
    const { process: first } = start({ store, clock });
    void first().pay(start({ clock }).payment(), createBank(taking.answer).send);
    await clock.advance(0);
    const breaking: IdempotencyStore = { ...store, read: () => Promise.reject(new Error('no disk')) };
    const { process, payment } = start({ store: breaking, clock });
    const asked = process().pay(payment({ callId: 'CA2' }), createBank().send);
    await clock.advance(1_000);

    expect(await asked).toMatchObject({ outcome: 'unknown', answer: 'not known' });
    taking.end(ended('unknown'));
    await clock.advance(0);

    const readOnly: IdempotencyStore = { ...store, settle: () => Promise.reject(new Error('no disk')) };
    const other = start({ store: readOnly, clock });
    const bank = createBank();
    expect(await other.process().pay(other.payment({ by: 'pm_2' }), bank.send)).toMatchObject({
      outcome: 'unknown',
      answer: 'not known',
    });
    expect(bank.sent).toEqual([]);
  });

  test('after the payment: the model sees how the payment ended, the application that the store failed', async () => {
    const { clock, store } = start();
    let isBroken = false;
    const breaking: IdempotencyStore = {
      ...store,
      settle: (...all) => (isBroken ? Promise.reject(new Error('no disk')) : store.settle(...all)),
    };
    const { process, payment, storeErrors } = start({ store: breaking, clock });

    const end = await process().pay(payment(), async () => {
      isBroken = true;
      return ended('done', 'paid');
    });

    expect(end).toMatchObject({ outcome: 'done', answer: 'paid' });
    expect(storeErrors).toEqual([new Error('no disk')]);
  });
});

describe('what this process knows of a payment', () => {
  const away = () => Promise.reject(new Error('no disk'));

  /** A store that goes away, wholly or in part. */
  const startWithout = () => {
    const memory = createMemoryIdempotencyStore({});
    const parts: Partial<IdempotencyStore> = {};
    const lose = (...names: readonly (keyof IdempotencyStore)[]) => {
      for (const name of names) parts[name] = away as never;
    };
    const recover = () => {
      for (const name of Object.keys(parts)) delete parts[name as keyof IdempotencyStore];
    };
    const named = (name: keyof IdempotencyStore) =>
      ((...given: readonly never[]) =>
        ((parts[name] ?? memory[name]) as (...all: readonly never[]) => unknown)(...given)) as never;
    const store: IdempotencyStore = {
      claim: named('claim'),
      renew: named('renew'),
      read: named('read'),
      settle: named('settle'),
      release: named('release'),
    };
    return { ...start({ store }), lose, recover };
  };
  const everything = ['claim', 'renew', 'read', 'settle', 'release'] as const;

  test.each(['CA1', 'CA2'])('is reported as made while the store is down, in call %s', async (callId) => {
    const { process, payment, lose, storeErrors } = startWithout();
    const bank = createBank(ended('done', 'paid'));
    const guard = process();
    await guard.pay(payment(), bank.send);
    lose(...everything);

    expect(await guard.pay(payment({ callId }), bank.send)).toMatchObject({ answer: 'paid', replayed: true });
    expect(await guard.paidBefore(payment({ callId }))).toMatchObject({ answer: 'paid', replayed: true });
    expect(storeErrors).toHaveLength(2);
    await expect(process().pay(payment(), bank.send)).rejects.toThrow('no disk');
  });

  test('is reported as made even if its end could not be stored, and the store gets it later', async () => {
    const { process, payment, lose, recover, clock } = startWithout();
    const guard = process();
    lose('settle');
    await guard.pay(payment(), createBank(ended('done', 'paid')).send);
    recover();
    await clock.advance(60_000);

    expect(await guard.pay(payment(), createBank().send)).toMatchObject({ answer: 'paid', replayed: true });
    expect(await process().pay(payment({ callId: 'CA2' }), createBank().send)).toMatchObject({ answer: 'paid' });
  });

  test('is reported as made for its window, and only then', async () => {
    const { process, payment, lose, clock } = startWithout();
    const guard = process();
    await guard.pay(payment(), createBank(ended('done', 'paid')).send);
    lose(...everything);
    await clock.advance(24 * 3_600_000);

    await expect(guard.pay(payment(), createBank().send)).rejects.toThrow('no disk');
  });

  test('counts even if the store has forgotten it', async () => {
    const { process, payment, store } = startWithout();
    const guard = process();
    await guard.pay(payment(), createBank(ended('done', 'paid')).send);
    const { claim = '' } = (await store.claim(`payment:${paymentIntent(facts)}`, {
      fingerprint: paymentIntent(facts),
      leaseMs: 1_000,
      retainMs: 1_000,
      reopen: true,
    })) as { readonly claim?: string };
    await store.release(`payment:${paymentIntent(facts)}`, claim);

    expect(await guard.pay(payment({ callId: 'CA2' }), createBank().send)).toMatchObject({ answer: 'paid' });
  });

  test('is reported as made if it ended after its caller had gone', async () => {
    const { process, payment, lose } = startWithout();
    const guard = process();
    await guard.pay(payment(), createBank(ended('unknown')).send);
    lose(...everything);
    const sent = { idempotencyKey: keyOf('CA1', 1), isRepeat: false };
    await expect(guard.settle(payment(), sent, ended('done', 'paid'))).rejects.toThrow('no disk');

    expect(await guard.pay(payment(), createBank().send)).toMatchObject({ answer: 'paid', replayed: true });
  });

  test('a refusal lets another try be asked for, which the store that is down keeps from being sent', async () => {
    const { process, payment, lose } = startWithout();
    const guard = process();
    await guard.pay(payment(), createBank(ended('declined')).send);
    lose(...everything);

    await expect(guard.pay(payment(), createBank().send)).rejects.toThrow('no disk');
  });
});
