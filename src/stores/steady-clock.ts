/** Time that never goes back. */
export interface SteadyClock {
  /** The steady time at a moment of the machine's clock. */
  at(machineNow: number): number;
  /** The time that people see, for a moment of the steady clock; the other way round with a minus. */
  offsetMs(): number;
}

/** The place where the offset of a steady clock is kept: with the messages. */
export interface KeptOffset {
  read(): number;
  write(ms: number): void;
  /** The latest moment that has passed for sure. */
  latest(): number;
}

/**
 * Goes on from where it was when the machine's clock is set back. So a wait never lasts longer than its own length, and
 * ages stay right. A machine's clock that jumps ahead ends waits early.
 */
export const createSteadyClock = (kept: KeptOffset = offsetInMemory()): SteadyClock => {
  let latest = kept.latest();
  return {
    at: (machineNow) => {
      let offsetMs = kept.read();
      // Threads and processes read one clock, but their requests arrive some milliseconds out of order.
      if (machineNow + offsetMs < latest - toleranceMs) {
        offsetMs = latest - machineNow;
        kept.write(offsetMs);
      }
      latest = Math.max(latest, machineNow + offsetMs);
      return machineNow + offsetMs;
    },
    offsetMs: kept.read,
  };
};

const toleranceMs = 1_000;

/** Keeps the offset for messages that end with their process. */
const offsetInMemory = (): KeptOffset => {
  let offsetMs = 0;
  return {
    read: () => offsetMs,
    write: (ms) => {
      offsetMs = ms;
    },
    latest: () => Number.NEGATIVE_INFINITY,
  };
};
