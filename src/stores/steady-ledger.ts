import type { Selection } from '../ports/message-queue.ts';
import type { MessageLedger } from './message-ledger.ts';

/** How far the clock of the ledger is ahead of the machine's, kept where the messages are. */
export interface ClockOffset {
  read(): number;
  write(ms: number): void;
  /** The latest time in the ledger that has passed for sure. */
  latest(): number;
}

/**
 * Keeps a ledger's time from going back: when the machine's clock was set back, everything in the ledger happens on a
 * clock that goes on from where it was. A wait never lasts longer than its own length, and ages stay right.
 * A clock that jumps ahead ends waits early.
 */
export const createSteadyLedger = (ledger: MessageLedger, offset: ClockOffset): MessageLedger => {
  let latest = offset.latest();

  /** What to add to a time of the machine. */
  const offsetAt = (now: number): number => {
    let ms = offset.read();
    // Threads and processes read one clock, but their requests come in some milliseconds out of order.
    if (now + ms < latest - toleranceMs) {
      ms = latest - now;
      offset.write(ms);
    }
    latest = Math.max(latest, now + ms);
    return ms;
  };

  const moved = (which: Selection): Selection =>
    'ids' in which ? which : { ...which, since: which.since + offset.read() };

  return {
    ...ledger,
    enqueue: ({ messages, now }) => {
      const ms = offsetAt(now);
      ledger.enqueue({ now: now + ms, messages: messages.map((each) => ({ ...each, dueAt: each.dueAt + ms })) });
    },
    lease: (request) => {
      const ms = offsetAt(request.now);
      const { now, leaseUntil } = request;
      const { messages, nextAt } = ledger.lease({ ...request, now: now + ms, leaseUntil: leaseUntil + ms });
      const leased = messages.map((each) => ({ ...each, enqueuedAt: each.enqueuedAt - ms }));
      return nextAt === undefined ? { messages: leased } : { messages: leased, nextAt: nextAt - ms };
    },
    settle: (settlement) => {
      const ms = offsetAt(settlement.now);
      const now = settlement.now + ms;
      if (settlement.to === 'done') return ledger.settle({ ...settlement, now, keepUntil: settlement.keepUntil + ms });
      if (settlement.to === 'waiting') return ledger.settle({ ...settlement, now, dueAt: settlement.dueAt + ms });
      return ledger.settle({ ...settlement, now });
    },
    get: ({ id, now }) => {
      const ms = offsetAt(now);
      const message = ledger.get({ id, now: now + ms });
      return message && { ...message, enqueuedAt: message.enqueuedAt - ms };
    },
    deadLetters: (page) => {
      const ms = offset.read();
      return ledger
        .deadLetters(page)
        .map((each) => ({ ...each, enqueuedAt: each.enqueuedAt - ms, diedAt: each.diedAt - ms }));
    },
    redrive: ({ which, now }) => {
      const ms = offsetAt(now);
      return ledger.redrive({ which: moved(which), now: now + ms });
    },
    discard: ({ which, reason, keepUntil }) =>
      ledger.discard({ which: moved(which), reason, keepUntil: keepUntil + offset.read() }),
    stats: (now) => ledger.stats(now + offsetAt(now)),
  };
};

const toleranceMs = 1_000;

/** For a ledger that ends with its process. */
export const offsetInMemory = (): ClockOffset => {
  let offset = 0;
  return {
    read: () => offset,
    write: (ms) => {
      offset = ms;
    },
    latest: () => Number.NEGATIVE_INFINITY,
  };
};
