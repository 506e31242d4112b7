import { AbortedError, InvalidArgumentError } from '../core/errors.ts';
import { assertKnown } from '../core/option-checks.ts';
import type { Deadline } from '../http/deadline.ts';
import type { EventExchange } from '../stores/ports/event-exchange.ts';
import { createMemoryEventExchange } from '../stores/memory-event-exchange.ts';
import { settleWithin } from '../core/timers.ts';

/** Limits on early events, and the exchange between processes. */
export interface EventWaitsOptions {
  /**
   * The time for which an event without a waiter is kept: a callback may come before its operation's answer.
   * @defaultValue 60000
   */
  readonly keepMs?: number | undefined;
  /** The most such events in the memory of a process; the oldest goes first. @defaultValue 1000 */
  readonly maximumKept?: number | undefined;
  /**
   * Carries events between processes, if a callback may arrive at another one than the phone call. Events must then be
   * JSON. You close it.
   * @defaultValue the memory of this process
   */
  readonly exchange?: EventExchange | undefined;
}

/** Lets phone calls wait for the callback of an operation that they started. */
export interface EventWaits<Event> {
  /**
   * Ends every wait for this key. The handler of the event calls it and waits for it. With an `exchange` it rejects
   * with `StoreError` if the event couldn't be handed on.
   */
  readonly arrived: (key: string, event: Event) => Promise<void>;
  /**
   * Waits until the event of this key arrives, or has arrived shortly before; `undefined` when the time is over.
   * `deadline` is milliseconds from now or a shared one. Rejects with `AbortedError` when the signal aborts.
   */
  readonly waitForEvent: (options: {
    readonly key: string;
    readonly deadline: Deadline | number;
    readonly signal?: AbortSignal | undefined;
  }) => Promise<Event | undefined>;
  /** The number of waits. */
  readonly waiting: () => number;
}

/**
 * Connects an operation that takes long with its callback: start it, wait for its event by an id of its own. Without an
 * `exchange` the event must arrive at the process that waits.
 *
 * @example
 * const payments = createEventWaits<PaymentConfirmed>();
 * // the receiver: on: { 'payment.confirmed': ({ payload }) => payments.arrived(payload.payment_id, payload) }
 * const confirmed = await payments.waitForEvent({ key: paymentId, deadline: 20_000 });
 */
export const createEventWaits = <Event>(options: EventWaitsOptions = {}): EventWaits<Event> => {
  assertKnown(options, { keepMs: true, maximumKept: true, exchange: true });
  const { keepMs = 60_000, maximumKept, exchange = createMemoryEventExchange({ maximumKept }) } = options;
  let waiting = 0;

  return {
    arrived: (key, event) => exchange.post(key, event, { keepMs }),
    waitForEvent: async (wait) => {
      assertKnown(wait, { key: true, deadline: true, signal: true });
      const { key, deadline, signal } = wait;
      if (typeof key !== 'string' || key === '')
        throw new InvalidArgumentError('key', 'must be a text that is not empty');
      if (signal?.aborted) throw aborted();
      const { promise, resolve } = Promise.withResolvers<Event>();
      // Only events of this kind are posted under the keys of these waits.
      const unwatch = exchange.watch(key, (event) => resolve(event as Event));
      waiting += 1;
      try {
        return await settleWithin(promise, { signal, deadline, late: () => late });
      } catch (error) {
        if (error === late) return undefined;
        throw aborted();
      } finally {
        waiting -= 1;
        unwatch();
      }
    },
    waiting: () => waiting,
  };
};

const late = Symbol('late');

const aborted = () => new AbortedError('webhooks.waitForEvent was ended by its caller');
