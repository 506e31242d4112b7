import { type Clock, systemClock } from '../clock.ts';
import { AbortedError, InvalidArgumentError } from '../errors.ts';
import type { Deadline } from '../http/deadline.ts';

export interface EventWaitsOptions {
  /** How long an event that nobody waits for yet is kept: a callback may come before its operation has answered. @defaultValue 60000 */
  readonly keepMs?: number;
  /** How many such events are kept at most; the oldest goes first. @defaultValue 1000 */
  readonly maximumKept?: number;
  readonly clock?: Clock;
}

/** Where phone calls wait for the callback of what they started. */
export interface EventWaits<Event> {
  /** Ends every wait for this key; called by the handler of the event. */
  readonly arrived: (key: string, event: Event) => void;
  /**
   * Waits until the event of this key arrives, or has arrived shortly before; `undefined` when the time is over.
   * `deadline` is milliseconds from now or a shared one. Rejects with `AbortedError` when the signal aborts.
   */
  readonly waitForEvent: (options: {
    readonly key: string;
    readonly deadline: Deadline | number;
    readonly signal?: AbortSignal;
  }) => Promise<Event | undefined>;
  /** How many wait now. */
  readonly waiting: () => number;
}

/**
 * Connects an operation that takes long with its callback: start it, wait for its event by an id of its own. Within one
 * process: the event must arrive at the process that waits.
 *
 * @example
 * const payments = createEventWaits<PaymentConfirmed>();
 * // the receiver: on: { 'payment.confirmed': ({ payload }) => payments.arrived(payload.payment_id, payload) }
 * const confirmed = await payments.waitForEvent({ key: paymentId, deadline: 20_000 });
 */
export const createEventWaits = <Event>({
  keepMs = 60_000,
  maximumKept = 1_000,
  clock = systemClock,
}: EventWaitsOptions = {}): EventWaits<Event> => {
  const waits = new Map<string, Set<(event: Event) => void>>();
  const early = new Map<string, { readonly event: Event; readonly until: number }>();

  const keep = (key: string, event: Event) => {
    early.delete(key);
    const [oldest] = early.keys();
    if (early.size >= maximumKept && oldest !== undefined) early.delete(oldest);
    early.set(key, { event, until: clock.now() + keepMs });
  };

  const leave = (key: string, end: (event: Event) => void) => {
    const all = waits.get(key);
    all?.delete(end);
    if (all?.size === 0) waits.delete(key);
  };

  return {
    arrived: (key, event) => {
      const all = waits.get(key);
      if (!all) return keep(key, event);
      waits.delete(key);
      for (const end of all) end(event);
    },
    waitForEvent: async ({ key, deadline, signal }) => {
      if (typeof key !== 'string' || key === '')
        throw new InvalidArgumentError('key', 'must be a text that is not empty');
      if (signal?.aborted) throw aborted();
      const kept = early.get(key);
      early.delete(key);
      if (kept && kept.until > clock.now()) return kept.event;

      const remainingMs = typeof deadline === 'number' ? deadline : deadline.remainingMs();
      const { promise, resolve, reject } = Promise.withResolvers<Event | undefined>();
      const onAbort = () => reject(aborted());
      const cancelTimer = clock.setTimer(() => resolve(undefined), remainingMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      waits.set(key, (waits.get(key) ?? new Set()).add(resolve));
      try {
        return await promise;
      } finally {
        leave(key, resolve);
        cancelTimer();
        signal?.removeEventListener('abort', onAbort);
      }
    },
    waiting: () => [...waits.values()].reduce((sum, all) => sum + all.size, 0),
  };
};

const aborted = () => new AbortedError('webhooks.waitForEvent was ended by its caller');
