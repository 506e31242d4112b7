import type { AttemptLog } from './call-log.ts';

/** The requests that wait for a socket of the platform's fetch. */
export interface FetchLine {
  /** Takes a place for one request; `undefined` where this isn't the fetch of Node 22 or 24. */
  enter(origin: string, log: AttemptLog): { readonly dispatcher: object; readonly leave: () => void } | undefined;
}

/**
 * Watches when fetch gives a request a socket. The application may have set a global dispatcher whose connections are
 * few: then a request waits in line while others of its origin have theirs. Where no other one has, it waits for the
 * network, which is under the time of the attempt.
 */
export const createFetchLine = (): FetchLine => {
  const origins = new Map<string, { active: number; readonly waiting: Set<AttemptLog> }>();

  return {
    enter: (origin, log) => {
      const dispatcher = dispatcherOfFetch();
      if (!dispatcher) return undefined;
      const line = origins.get(origin) ?? { active: 0, waiting: new Set() };
      origins.set(origin, line);
      line.waiting.add(log);
      if (line.active > 0) log.waitsInLine(true);
      let isActive = false;

      const start = () => {
        if (isActive) return;
        isActive = true;
        line.waiting.delete(log);
        log.waitsInLine(false);
        line.active += 1;
        if (line.active === 1) for (const other of line.waiting) other.waitsInLine(true);
      };
      const leave = () => {
        line.waiting.delete(log);
        if (isActive) line.active -= 1;
        if (line.active > 0) return;
        for (const other of line.waiting) other.waitsInLine(false);
        if (line.waiting.size === 0) origins.delete(origin);
      };
      return { dispatcher: { dispatch: watching(dispatcher, start) }, leave };
    },
  };
};

/** The part of undici's dispatcher that fetch uses. */
interface Dispatcher {
  dispatch(options: unknown, handler: Handler): boolean;
}

/** Calls `onConnect` when a request has a socket, before the first byte. */
interface Handler {
  onConnect?(...given: unknown[]): void;
}

const watching =
  (dispatcher: Dispatcher, start: () => void) =>
  (options: unknown, handler: Handler): boolean => {
    // Its other methods work on it as they do on the handler itself, which has no private fields.
    const watched: Handler = Object.create(handler);
    watched.onConnect = (...given) => {
      start();
      handler.onConnect?.apply(watched, given);
    };
    return dispatcher.dispatch(options, watched);
  };

const platformFetch = globalThis.fetch;

/** The dispatcher of Node 22 and 24, once it's in use. Another fetch may speak to its dispatcher in another way. */
const dispatcherOfFetch = (): Dispatcher | undefined => {
  const undici = globalThis.process?.versions?.['undici'] ?? '';
  if (globalThis.fetch !== platformFetch || !/^[67]\./.test(undici)) return undefined;
  return Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')) as Dispatcher | undefined;
};
