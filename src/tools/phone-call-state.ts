import { setTimeout as wait } from 'node:timers/promises';
import { StoreError } from '../errors.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { Json } from '../ports/json.ts';

/** A phone call, as the state of a tool is kept for it. */
export interface StateOwner {
  readonly tenant: string | undefined;
  readonly callId: string;
}

/** What is known of each phone call: in this process, or in a store that several processes share. */
export interface PhoneCallState<State> {
  /** Uses the state as it is now. */
  read<Result>(call: StateOwner, use: (state: State) => Result): Promise<Result>;
  /** Changes the state; changes of one phone call follow one another. */
  change<Result>(call: StateOwner, change: (state: State) => Result): Promise<Result>;
}

export interface PhoneCallStateOptions<State> {
  /** Distinguishes the states of one phone call. */
  readonly name: string;
  /** Makes the state, of what {@link PhoneCallStateOptions.toJson} gave where there is some. */
  readonly start: (kept?: unknown) => State;
  /** An object that JSON can say. */
  readonly toJson: (state: State) => object;
  /** Shared by all processes. @defaultValue the memory of this one */
  readonly store: IdempotencyStore | undefined;
}

export const createPhoneCallState = <State extends object>(
  options: PhoneCallStateOptions<State>,
): PhoneCallState<State> => (options.store ? inStore(options, options.store) : inMemory(options));

const inMemory = <State extends object>({ start }: PhoneCallStateOptions<State>): PhoneCallState<State> => {
  const stateOf = createPhoneCallMemory(() => start());
  return {
    read: async (call, use) => use(stateOf(call)),
    change: async (call, change) => change(stateOf(call)),
  };
};

/** One JSON document per phone call: claimed, changed and settled. */
const inStore = <State>(
  { name, start, toJson }: PhoneCallStateOptions<State>,
  store: IdempotencyStore,
): PhoneCallState<State> => {
  const keyOf = ({ tenant, callId }: StateOwner) => `phone-call:${JSON.stringify([name, tenant ?? null, callId])}`;

  const claim = async (key: string) => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const claimed = await store.claim(key, { fingerprint: name, leaseMs, retainMs, reopen: true });
      if (claimed.state === 'new') return { claim: claimed.claim, kept: undefined };
      if (claimed.state === 'finished' && claimed.claim !== undefined)
        return { claim: claimed.claim, kept: claimed.result };
      await wait(retryMs);
    }
    throw new StoreError('the state of the phone call is held by another process');
  };

  return {
    read: async (call, use) => {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const kept = await store.read(keyOf(call));
        if (kept?.state !== 'in-progress') return use(start(kept?.state === 'finished' ? kept.result : undefined));
        await wait(retryMs);
      }
      throw new StoreError('the state of the phone call is held by another process');
    },
    change: async (call, change) => {
      const key = keyOf(call);
      const { claim: claimed, kept } = await claim(key);
      const state = start(kept);
      const result = change(state);
      // JSON, as its docstring asks for.
      if (!(await store.settle(key, claimed, toJson(state) as Json)))
        throw new StoreError('the state of the phone call could not be kept');
      return result;
    },
  };
};

/** A change is two round trips long. */
const leaseMs = 5_000;
const retryMs = 25;
const mostTries = 80;
const retainMs = 24 * 60 * 60 * 1000;

/**
 * What is remembered of each phone call, made on first use. When there are too many, the one that was used longest ago
 * is forgotten.
 */
export const createPhoneCallMemory = <Memory extends {}>(
  start: () => Memory,
  { maximumCalls = 1_000 }: { readonly maximumCalls?: number } = {},
): ((call: { readonly tenant: string | undefined; readonly callId: string }) => Memory) => {
  // Not an LRUCache: most toolboxes serve one phone call, and making a cache costs more than all that it's used for.
  const memories = new Map<string, Memory>();
  return ({ tenant, callId }) => {
    const key = JSON.stringify([tenant ?? null, callId]);
    const memory = memories.get(key) ?? start();
    memories.delete(key);
    memories.set(key, memory);
    if (memories.size > maximumCalls) {
      const [oldest = ''] = memories.keys();
      memories.delete(oldest);
    }
    return memory;
  };
};
