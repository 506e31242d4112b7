import { LRUCache } from 'lru-cache';
import { AbortedError, TenantUnavailableError } from '../core/errors.ts';
import { settleWithin } from '../core/timers.ts';
import type { Held, Use } from './pool.ts';

/** The tenants that are being made, the first time or again: one at a time each, for all who wait. */
export interface PendingOpens<Value> {
  /**
   * Begins a use of the tenant as soon as it is made. Throws `TenantUnavailableError`, for a while also without resolving
   * again, and `AbortedError` when the signal aborts, which the others go on without.
   */
  use(tenantId: string, signal: AbortSignal | undefined): Promise<readonly [held: Held<Value>, use: Use]>;
  /** Makes it of options that are resolved from now on. */
  renew(tenantId: string): Promise<void>;
  /** The next one resolves, whatever failed before. */
  forgetFailure(tenantId: string): void;
  has(tenantId: string): boolean;
  count(): number;
}

export interface PendingOpensOptions<Options, Value> {
  readonly resolve: (
    tenantId: string,
    about: { readonly signal: AbortSignal },
  ) => Options | undefined | Promise<Options | undefined>;
  readonly timeoutMs: number;
  /** The time for which a failure is remembered. */
  readonly cooldownMs: number;
  /** The most failures that are remembered. */
  readonly max: number;
  /** From now on the tenant is made of these options. May throw. */
  readonly make: (tenantId: string, options: Options) => Held<Value>;
  /** Options that nothing will be made of. Must not throw. */
  readonly discard: (tenantId: string, options: Options) => Promise<void>;
}

export const createPendingOpens = <Options extends object, Value>({
  resolve,
  timeoutMs,
  cooldownMs,
  max,
  make,
  discard,
}: PendingOpensOptions<Options, Value>): PendingOpens<Value> => {
  const pending = new Map<string, Opening<Value>>();
  const tenantOptions = createTenantOptions({ resolve, timeoutMs, cooldownMs, max, discard });

  const open = async (tenantId: string, opening: Omit<Opening<Value>, 'held'>): Promise<Held<Value>> => {
    opening.isStale = false;
    const resolved = await tenantOptions.resolve(tenantId).catch((error: unknown) => {
      if (!opening.isStale) throw error;
      tenantOptions.forgetFailure(tenantId);
    });
    if (opening.isStale || !resolved) {
      if (resolved) await discard(tenantId, resolved);
      return open(tenantId, opening);
    }
    // Nothing is awaited from here on, so that no refresh can come between the options and what is made of them.
    try {
      const held = make(tenantId, resolved);
      if (opening.waiting > 0) opening.hold = held.use();
      return held;
    } catch (error) {
      await discard(tenantId, resolved);
      throw tenantOptions.failed(tenantId, error);
    }
  };

  const find = (tenantId: string): Opening<Value> => {
    const known = pending.get(tenantId);
    if (known) return known;
    const state = { isStale: false, waiting: 0 };
    const held = open(tenantId, state).finally(() => pending.delete(tenantId));
    const opening = Object.assign(state, { held });
    pending.set(tenantId, opening);
    return opening;
  };

  return {
    use: async (tenantId, signal) => {
      const opening = find(tenantId);
      opening.waiting += 1;
      try {
        const held = await settleWithin(opening.held, { signal });
        return [held, held.use()];
      } catch (error) {
        throw signal?.aborted ? new AbortedError('the wait for the tenant was aborted') : error;
      } finally {
        opening.waiting -= 1;
        if (opening.waiting === 0) opening.hold?.end();
      }
    },
    renew: async (tenantId) => {
      const opening = pending.get(tenantId);
      if (opening) opening.isStale = true;
      await (opening ?? find(tenantId)).held;
    },
    forgetFailure: tenantOptions.forgetFailure,
    has: (tenantId) => pending.has(tenantId),
    count: () => pending.size,
  };
};

/** Resolves the options of tenants, and remembers for a while which failed. */
const createTenantOptions = <Options extends object>({
  resolve,
  timeoutMs,
  cooldownMs,
  max,
  discard,
}: Omit<PendingOpensOptions<Options, never>, 'make'>) => {
  const failures = new LRUCache<string, TenantUnavailableError>({
    max: Math.min(max, 1_000),
    ttl: Math.ceil(cooldownMs),
  });

  const resolveInTime = async (tenantId: string): Promise<Options | undefined> => {
    let isLate = false;
    const work = async (signal: AbortSignal) => {
      const options = await resolve(tenantId, { signal });
      if (isLate && options) await discard(tenantId, options);
      return options;
    };
    const late = () => {
      isLate = true;
      return new Error(`resolve took longer than ${timeoutMs} ms`);
    };
    return settleWithin(work, { deadline: timeoutMs, late });
  };

  const fail = (tenantId: string, error: TenantUnavailableError): TenantUnavailableError => {
    failures.set(tenantId, error);
    return error;
  };

  const failed = (tenantId: string, original: unknown): TenantUnavailableError =>
    original instanceof TenantUnavailableError
      ? original
      : fail(
          tenantId,
          new TenantUnavailableError("the options of the tenant couldn't be resolved, or can't work", {
            reason: 'resolve_failed',
            tenant: tenantId,
            retryAfterMs: cooldownMs,
            original,
          }),
        );

  const resolveUnlessFailed = async (tenantId: string): Promise<Options> => {
    const failure = failures.peek(tenantId);
    const leftMs = failures.getRemainingTTL(tenantId);
    if (failure && leftMs > 0) throw withTimeLeft(failure, leftMs);
    const options = await resolveInTime(tenantId).catch((error: unknown) => {
      throw failed(tenantId, error);
    });
    if (options) return options;
    const message = 'there is no such tenant: resolve gave no options for it';
    throw fail(
      tenantId,
      new TenantUnavailableError(message, { reason: 'unknown', tenant: tenantId, retryAfterMs: cooldownMs }),
    );
  };

  return {
    resolve: resolveUnlessFailed,
    /** Returns the failure to report, and remembers it. */
    failed,
    forgetFailure: (tenantId: string): void => void failures.delete(tenantId),
  };
};

interface Opening<Value> {
  readonly held: Promise<Held<Value>>;
  /** The options being resolved are older than a refresh: they are resolved again. */
  isStale: boolean;
  /** The number of callers that want to use it. */
  waiting: number;
  /** Keeps it until they do. */
  hold?: Use | undefined;
}

/** An error of its own for each caller, with the time that is left. */
const withTimeLeft = ({ message, reason, tenant, original }: TenantUnavailableError, leftMs: number) =>
  new TenantUnavailableError(message, { reason, tenant, original, retryAfterMs: Math.ceil(leftMs) });
