import type { IdempotencyStore } from '../../src/stores/ports/idempotency-store.ts';

/** A store that writes down each method that is called, but for the state of phone calls: each is a round trip. */
export const countStoreCalls = (
  store: IdempotencyStore,
): {
  readonly counting: IdempotencyStore;
  readonly calls: (keyof IdempotencyStore)[];
  readonly ofPhoneCalls: (keyof IdempotencyStore)[];
} => {
  const calls: (keyof IdempotencyStore)[] = [];
  const ofPhoneCalls: (keyof IdempotencyStore)[] = [];
  const counted =
    <Args extends readonly [string, ...unknown[]], Answer>(
      name: keyof IdempotencyStore,
      ask: (...args: Args) => Answer,
    ) =>
    (...args: Args): Answer => {
      (args[0].startsWith('phone-call:') ? ofPhoneCalls : calls).push(name);
      return ask(...args);
    };
  const counting: IdempotencyStore = {
    claim: counted('claim', store.claim),
    renew: counted('renew', store.renew),
    read: counted('read', store.read),
    settle: counted('settle', store.settle),
    release: counted('release', store.release),
  };
  return { counting, calls, ofPhoneCalls };
};
