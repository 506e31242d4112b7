import type { Clock } from '../clock.ts';

/** One use of an instance. It has to end, whatever happens. */
export interface Use {
  /** Only the first call counts. */
  end(): void;
}

/** What one tenant's integration is to the pool: something that is used, or else idle since some moment. */
export interface Instance<Integration> {
  readonly integration: Integration;
  /** Begins a use; `undefined` when it was retired, so that another one has to be had. */
  use(longestMs?: number): Use | undefined;
  uses(): number;
  /** How long nothing has used it; 0 while something does. */
  idleForMs(): number;
  /** Nothing has used it for long enough. */
  isDue(): boolean;
  /** Ends the uses that have lasted their longest. */
  endLapsed(): void;
  /** Gives no further use, and closes as soon as the last one has ended. Resolves when it is closed. */
  retire(): Promise<void>;
  /** Closes now, whoever uses it. */
  close(): Promise<void>;
}

/** Counts uses, and closes once. Has no timer of its own. */
export const createInstance = <Integration>({
  integration,
  idleMs,
  clock,
  onClose,
}: {
  readonly integration: Integration;
  readonly idleMs: number;
  readonly clock: Clock;
  /** Must not throw. */
  readonly onClose: () => Promise<void>;
}): Instance<Integration> => {
  /** Each with the moment from which it does not count any more. */
  const uses = new Map<Use, number>();
  const closing = Promise.withResolvers<void>();
  let idleSince = clock.now();
  let isRetired = false;
  let isClosing = false;

  const close = () => {
    isRetired = true;
    if (!isClosing) {
      isClosing = true;
      closing.resolve(onClose());
    }
    return closing.promise;
  };

  const idleForMs = () => (uses.size > 0 ? 0 : clock.now() - idleSince);

  return {
    integration,
    use: (longestMs = Number.POSITIVE_INFINITY) => {
      if (isRetired) return undefined;
      const use: Use = {
        end: () => {
          if (!uses.delete(use) || uses.size > 0) return;
          idleSince = clock.now();
          if (isRetired) void close();
        },
      };
      uses.set(use, clock.now() + longestMs);
      return use;
    },
    uses: () => uses.size,
    idleForMs,
    isDue: () => uses.size === 0 && idleForMs() >= idleMs,
    endLapsed: () => {
      const now = clock.now();
      for (const [use, until] of uses) if (until <= now) use.end();
    },
    retire: () => {
      isRetired = true;
      return uses.size === 0 ? close() : closing.promise;
    },
    close,
  };
};
