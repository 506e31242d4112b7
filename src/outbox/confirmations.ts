import type { Clock } from '../clock.ts';

/** Lets a publisher hear how an attempt of this process ended. */
export interface Confirmations {
  expect(id: string): Confirmation;
  /** An attempt has ended. */
  ended(id: string, isDelivered: boolean): void;
}

export interface Confirmation {
  /** `true` when the next attempt delivers it within `ms`; `false` when it fails before, or does not end. */
  within(ms: number): Promise<boolean>;
  forget(): void;
}

export const createConfirmations = (clock: Clock): Confirmations => {
  const waiting = new Map<string, Set<(isDelivered: boolean) => void>>();

  const expect = (id: string): Confirmation => {
    const listeners = waiting.get(id) ?? new Set();
    waiting.set(id, listeners);
    const { promise: ended, resolve } = Promise.withResolvers<boolean>();
    listeners.add(resolve);
    return {
      within: async (ms) => {
        const over = Promise.withResolvers<boolean>();
        const cancel = clock.setTimer(() => over.resolve(false), Math.max(0, ms));
        const isDelivered = await Promise.race([ended, over.promise]);
        cancel();
        return isDelivered;
      },
      forget: () => {
        listeners.delete(resolve);
        if (listeners.size === 0) waiting.delete(id);
      },
    };
  };

  return {
    expect,
    ended: (id, isDelivered) => {
      for (const listener of waiting.get(id) ?? []) listener(isDelivered);
    },
  };
};
