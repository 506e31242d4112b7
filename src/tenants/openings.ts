import { AbortedError, isTenantUnavailableError } from '../errors.ts';
import type { Instance, Use } from './instance.ts';
import type { Resolver } from './resolver.ts';

/** The tenants that are being made, the first time or anew: one at a time each, for all who wait. */
export interface Openings<Integration> {
  /**
   * Begins a use of the tenant as soon as it is made; `undefined` when it was replaced in that moment. Throws
   * `TenantUnavailableError`, and `AbortedError` when the signal aborts, which the others go on without.
   */
  use(tenantId: string, signal: AbortSignal | undefined): Promise<Used<Integration> | undefined>;
  /** Makes it of options that are asked for from now on. */
  renew(tenantId: string): Promise<void>;
  has(tenantId: string): boolean;
  count(): number;
}

/** An instance, and the use that keeps it. */
export type Used<Integration> = readonly [instance: Instance<Integration>, use: Use];

export const createOpenings = <Options extends object, Integration>({
  resolver,
  make,
  discard,
}: {
  readonly resolver: Resolver<Options>;
  /** From now on the tenant is had from these options. May throw. */
  readonly make: (tenantId: string, options: Options) => Instance<Integration>;
  /** Options that nothing will be made of. Must not throw. */
  readonly discard: (options: Options, tenantId: string) => Promise<void>;
}): Openings<Integration> => {
  const openings = new Map<string, Opening<Integration>>();

  const resolveAndMake = async (
    tenantId: string,
    opening: Omit<Opening<Integration>, 'instance'>,
  ): Promise<Instance<Integration>> => {
    opening.isStale = false;
    const resolved = await resolver.resolve(tenantId).catch((error: unknown) => {
      if (!opening.isStale) throw error;
      resolver.forget(tenantId);
    });
    if (opening.isStale || !resolved) {
      if (resolved) await discard(resolved, tenantId);
      return resolveAndMake(tenantId, opening);
    }
    // Nothing is awaited from here on, so that no refresh can come between the options and what is made of them.
    try {
      const instance = make(tenantId, resolved);
      if (opening.waiting > 0) opening.hold = instance.use();
      return instance;
    } catch (error) {
      await discard(resolved, tenantId);
      throw isTenantUnavailableError(error) ? error : resolver.failed(tenantId, error);
    }
  };

  const find = (tenantId: string): Opening<Integration> => {
    const known = openings.get(tenantId);
    if (known) return known;
    const state = { isStale: false, waiting: 0 };
    const instance = resolveAndMake(tenantId, state).finally(() => openings.delete(tenantId));
    const opening = Object.assign(state, { instance });
    openings.set(tenantId, opening);
    return opening;
  };

  return {
    use: async (tenantId, signal) => {
      const opening = find(tenantId);
      opening.waiting += 1;
      try {
        const instance = await untilAborted(opening.instance, signal);
        const use = instance.use();
        return use && [instance, use];
      } finally {
        opening.waiting -= 1;
        if (opening.waiting === 0) opening.hold?.end();
      }
    },
    renew: async (tenantId) => {
      const opening = openings.get(tenantId);
      if (opening) opening.isStale = true;
      await (opening ?? find(tenantId)).instance;
    },
    has: (tenantId) => openings.has(tenantId),
    count: () => openings.size,
  };
};

interface Opening<Integration> {
  readonly instance: Promise<Instance<Integration>>;
  /** The options that come are older than a refresh: they are asked for once more. */
  isStale: boolean;
  /** How many want to use it. */
  waiting: number;
  /** Keeps it until they do. */
  hold?: Use | undefined;
}

const untilAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(aborted());
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
};

const aborted = () => new AbortedError('the wait for the tenant was aborted');
