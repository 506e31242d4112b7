import { LRUCache } from 'lru-cache';
import { InvalidArgumentError, StoreError } from '../core/errors.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import type { EventExchange } from './ports/event-exchange.ts';
import { setTimer } from '../core/timers.ts';
import { answeredWithin } from './answered-within.ts';

/** A place where several processes leave events for each other. */
export interface EventBoard {
  /** Keeps a text under a key for a time, and announces the key to all processes. */
  write(key: string, text: string, keepMs: number): Promise<unknown>;
  read(key: string): Promise<string | undefined>;
  /** Starts to listen for keys; resolves when it misses none. Called again after it rejected or `onLost` was called. */
  listen(onKey: (key: string) => void, onLost: () => void): Promise<() => Promise<void>>;
}

export interface SharedEventExchangeOptions {
  readonly board: EventBoard;
  readonly server: string;
  readonly timeoutMs: number;
  /** The time between two looks for events whose announcement was lost. */
  readonly pollMs: number;
  readonly onError: ((error: unknown) => void) | undefined;
}

/**
 * Carries events over a board. An announcement is quick but not certain, so events are also looked up: when the
 * waiting begins, and every `pollMs` while it lasts.
 */
export const createSharedEventExchange = (options: SharedEventExchangeOptions): EventExchange => {
  const { board, server, timeoutMs, pollMs, onError } = options;
  const listeners = new Map<string, Set<(event: unknown) => void>>();
  /** The postings that this process has seen and may meet again, by their ids. */
  const seen = new LRUCache<string, true>({ max: 10_000, ttlResolution: 0 });
  let listening: Promise<() => Promise<void>> | undefined;
  let cancelPoll: (() => void) | undefined;
  let isClosed = false;

  const within = <T>(answer: Promise<T>) => answeredWithin(answer, { server, ms: timeoutMs });
  const report = (error: unknown) => ignoreErrors(() => onError?.(error));

  const deliver = (key: string, text: string) => {
    const { id, event, keepMs } = JSON.parse(text) as Posting;
    const all = listeners.get(key);
    if (!all || seen.has(id)) return;
    seen.set(id, true, { ttl: 2 * keepMs });
    for (const listener of all) listener(event);
  };

  const look = async (key: string) => {
    if (!listeners.has(key)) return;
    try {
      const text = await within(board.read(key));
      if (text !== undefined) deliver(key, text);
    } catch (error) {
      report(error);
    }
  };

  /** One at a time, however long it takes: a second one would be undone by the late end of the first. */
  const listen = async () => {
    if (isClosed) return;
    try {
      await within((listening ??= begin()));
    } catch (error) {
      report(error);
    }
  };

  const begin = () => {
    const onLost = () => {
      if (listening === begun) listening = undefined;
    };
    const begun = board.listen((key) => void look(key), onLost);
    begun.catch(onLost);
    return begun;
  };

  const poll = () => {
    cancelPoll?.();
    cancelPoll = undefined;
    if (listeners.size === 0 || isClosed) return;
    cancelPoll = setTimer(() => {
      void listen();
      for (const key of listeners.keys()) void look(key);
      poll();
    }, pollMs);
  };

  return {
    post: async (key, event, { keepMs }) => {
      if (isClosed) throw new StoreError('the event exchange is closed');
      if (!(keepMs > 0)) throw new InvalidArgumentError('keepMs', 'must be a number of milliseconds above 0');
      const posting: Posting = { id: crypto.randomUUID(), event, keepMs };
      await within(board.write(key, JSON.stringify(posting), keepMs));
    },
    watch: (key, listener) => {
      const all = listeners.get(key) ?? new Set();
      listeners.set(key, all.add(listener));
      // Looked up only when nothing that comes is missed any more.
      void listen().then(() => look(key));
      if (!cancelPoll) poll();
      return () => {
        all.delete(listener);
        if (all.size === 0 && listeners.get(key) === all) listeners.delete(key);
        if (listeners.size === 0) poll();
      };
    },
    close: async () => {
      isClosed = true;
      listeners.clear();
      poll();
      // What has not started yet is ended once it has, and no longer waited for.
      const ended = listening?.then((end) => end());
      if (ended) await within(ended).catch(() => undefined);
    },
  };
};

interface Posting {
  readonly id: string;
  readonly event: unknown;
  readonly keepMs: number;
}
