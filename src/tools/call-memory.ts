import { setTimer } from '../core/timers.ts';
import { StoreError } from '../core/errors.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import type { Json } from '../stores/ports/json.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { madeOnce } from './made-once.ts';

/** A phone call, as the state of a tool is kept for it. */
export interface StateOwner {
  readonly tenant: string | undefined;
  readonly callId: string;
  /**
   * The person whose state it is, if that's certain. Left out for a state of the phone call alone, such as its limits.
   */
  readonly person?: string | undefined;
}

/**
 * The state of each phone call: in this process, or in a store that several processes share. Ids aren't always unique:
 * the first person who changes a state owns it from then on. Any other person has a state of their own, and so has
 * everyone who isn't certain.
 */
export interface SharedCallMemory<State> {
  /** Uses the state as it is now. */
  read<Result>(call: StateOwner, use: (state: State) => Result): Promise<Result>;
  /** Changes the state; changes of one phone call follow one another. */
  change<Result>(call: StateOwner, change: (state: State) => Result): Promise<Result>;
}

export interface SharedCallMemoryOptions<State> {
  /** Distinguishes the states of one phone call. */
  readonly name: string;
  /** Makes the state, of what {@link SharedCallMemoryOptions.toJson} gave where there is some. */
  readonly start: (kept?: unknown) => State;
  /** An object that JSON can say. */
  readonly toJson: (state: State) => object;
  /** Shared by all processes. @defaultValue the memory of this one */
  readonly store: IdempotencyStore | undefined;
  /** The part of this process that the states belong to, such as an integration. @defaultValue this memory alone */
  readonly home?: object | undefined;
}

export const createSharedCallMemory = <State extends object>(
  options: SharedCallMemoryOptions<State>,
): SharedCallMemory<State> => (options.store ? inStore(options, options.store) : inMemory(options));

const inMemory = <State extends object>({
  name,
  start,
  toJson,
  home = {},
}: SharedCallMemoryOptions<State>): SharedCallMemory<State> => {
  const cellOf = createHomeMemory(name, home, (): Cell => ({ owner: undefined, kept: undefined }));
  /** The state as it's kept by this one, whose rules may be others than those of the one before. */
  const stateIn = (cell: Cell): State => {
    const { by, state, toJson: said } = cell.kept ?? {};
    // Only this one writes its own.
    if (by === cellOf) return state as State;
    const own = start(said?.());
    cell.kept = { by: cellOf, state: own, toJson: () => toJson(own) };
    return own;
  };
  const stateOf = (call: StateOwner) => {
    const cell = cellOf(call);
    return stateIn(isTheirs(cell.owner, call) ? cell : cellOf(otherCall(call)));
  };
  return {
    read: async (call, use) => use(stateOf(call)),
    change: async (call, change) => {
      cellOf(call).owner ??= call.person;
      return change(stateOf(call));
    },
  };
};

/** The state of a phone call, and the memory that used it last. */
interface Cell {
  owner: string | undefined;
  kept: { readonly by: unknown; readonly state: object; readonly toJson: () => object } | undefined;
}

const isTheirs = (owner: string | undefined, { person }: StateOwner): boolean =>
  owner === undefined || owner === person;

/** The same phone call for a person whose it isn't. */
const otherCall = ({ tenant, callId, person }: StateOwner) => ({
  tenant,
  callId: JSON.stringify([callId, person ?? null]),
});

/** One JSON document per phone call: claimed, changed and settled. */
const inStore = <State>(
  { name, start, toJson }: SharedCallMemoryOptions<State>,
  store: IdempotencyStore,
): SharedCallMemory<State> => {
  const keyOf = ({ tenant, callId }: StateOwner) => `phone-call:${JSON.stringify([name, tenant ?? null, callId])}`;

  const claim = async (key: string) => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const claimed = await store.claim(key, { fingerprint: name, leaseMs, retainMs, reopen: true });
      if (claimed.state === 'new') return { claim: claimed.claim, kept: {} };
      if (claimed.state === 'finished' && claimed.claim !== undefined)
        return { claim: claimed.claim, kept: keptIn(claimed.result) };
      await wait(retryMs);
    }
    throw new StoreError('the state of the phone call is held by another process');
  };

  const readKept = async (key: string): Promise<Kept> => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const kept = await store.read(key);
      if (kept?.state !== 'in-progress') return kept?.state === 'finished' ? keptIn(kept.result) : {};
      await wait(retryMs);
    }
    throw new StoreError('the state of the phone call is held by another process');
  };

  const settle = async (key: string, claimed: string, kept: Kept) => {
    // JSON, as the docstring of `toJson` asks for.
    if (!(await store.settle(key, claimed, kept as Json)))
      throw new StoreError('the state of the phone call could not be kept');
  };

  const changeAt = async <Result>(
    call: StateOwner,
    owned: StateOwner,
    change: (state: State) => Result,
  ): Promise<Result> => {
    const key = keyOf(owned);
    const { claim: claimed, kept } = await claim(key);
    if (!isTheirs(kept.owner, call)) {
      await settle(key, claimed, kept);
      return changeAt(call, otherCall(call), change);
    }
    const state = start(kept.state);
    const result = change(state);
    await settle(key, claimed, withoutUndefined({ owner: kept.owner ?? call.person, state: toJson(state) }));
    return result;
  };

  return {
    read: async (call, use) => {
      const kept = await readKept(keyOf(call));
      return use(start((isTheirs(kept.owner, call) ? kept : await readKept(keyOf(otherCall(call)))).state));
    },
    change: (call, change) => changeAt(call, call, change),
  };
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimer(resolve, ms));

/** The part of a phone call that a store keeps. */
interface Kept {
  readonly owner?: string;
  readonly state?: object;
}

/** Only `settle` writes here. */
const keptIn = (kept: unknown): Kept => kept as Kept;

/** A change is two round trips long. */
const leaseMs = 5_000;
const retryMs = 25;
const mostTries = 80;
const retainMs = 24 * 60 * 60 * 1000;

/**
 * Keeps a memory per phone call, made on first use. If there are too many, forgets the one that was used longest ago.
 */
export const createCallMemory = <Memory extends {}>(
  start: (call: CallOf) => Memory,
  { maximumCalls = 1_000 }: { readonly maximumCalls?: number } = {},
): CallMemory<Memory> => {
  // Not an LRUCache: most toolboxes serve one phone call, and making a cache costs more than all that it's used for.
  const memories = new Map<string, Memory>();
  return (call) => {
    const { tenant, callId } = call;
    const key = JSON.stringify([tenant ?? null, callId]);
    const memory = memories.get(key) ?? start(call);
    memories.delete(key);
    memories.set(key, memory);
    if (memories.size > maximumCalls) {
      const [oldest = ''] = memories.keys();
      memories.delete(oldest);
    }
    return memory;
  };
};

type CallOf = Pick<StateOwner, 'tenant' | 'callId'>;
type CallMemory<Memory> = (call: CallOf) => Memory;

/**
 * Keeps a memory per phone call in a part of the process. Others who ask it for this name get the same memory: a phone call
 * may be started again for each request.
 */
export const createHomeMemory = <Memory extends {}>(
  name: string,
  home: object,
  start: () => Memory,
): CallMemory<Memory> => {
  const memories = memoriesIn(home);
  const known = memories.get(name) ?? createCallMemory(start, { maximumCalls: mostKeptCalls });
  memories.set(name, known);
  // A name has one kind of memory. What the home forgets, a phone call that goes on still has.
  return createCallMemory(known as CallMemory<Memory>);
};

const memoriesIn = /* @__PURE__ */ madeOnce((_home: object) => new Map<string, CallMemory<{}>>());

const mostKeptCalls = 2_000;
