import type { Clock } from '../clock.ts';
import type { Scope } from './scope.ts';

/** One answer that is fetched before somebody asks for it. */
export interface ReadAhead<Value> {
  /** Starts reading. Gives what it reads, `undefined` when that fails: whoever asks later reads by themselves. */
  begin(key: string, read: () => Promise<Value>): Promise<Value | undefined>;
  /**
   * What was read under this key, once: waits for it where it is on its way, as long as the asker's time allows.
   * `undefined`: nothing was, or it failed, or it is too old, or it was taken or forgotten.
   */
  take(key: string, within: Scope): Promise<{ readonly value: Value } | undefined>;
  /** What was read may have changed since. */
  forget(): void;
}

export const createReadAhead = <Value>({
  clock,
  maximumAgeMs,
}: {
  readonly clock: Clock;
  readonly maximumAgeMs: number;
}): ReadAhead<Value> => {
  let held: { readonly key: string; readonly startedAt: number; readonly read: Promise<Read<Value>> } | undefined;

  return {
    begin: async (key, read) => {
      const started = settled(read());
      held = { key, startedAt: clock.now(), read: started };
      return (await started)?.value;
    },
    take: async (key, within) => {
      if (held?.key !== key) return undefined;
      const { startedAt, read } = held;
      held = undefined;
      return clock.now() - startedAt > maximumAgeMs ? undefined : unlessOutOfTime(read, within, clock);
    },
    forget: () => {
      held = undefined;
    },
  };
};

type Read<Value> = { readonly value: Value } | undefined;

const settled = <Value>(read: Promise<Value>): Promise<Read<Value>> =>
  read.then(
    (value) => ({ value }),
    () => undefined,
  );

/** Who is out of time hears so from the request that they send themselves. */
const unlessOutOfTime = <Value>(
  read: Promise<Read<Value>>,
  { deadline, signal }: Scope,
  clock: Clock,
): Promise<Read<Value>> =>
  new Promise((resolve) => {
    const giveUp = () => end(undefined);
    const cancelTimer = deadline ? clock.setTimer(giveUp, deadline.remainingMs()) : () => {};
    const end = (found: Read<Value>) => {
      cancelTimer();
      signal?.removeEventListener('abort', giveUp);
      resolve(found);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    void read.then(end);
  });
