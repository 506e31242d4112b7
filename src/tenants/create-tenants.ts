import { InvalidArgumentError, TenantUnavailableError } from '../core/errors.ts';
import { assertKnown, assertSpelled, type OptionNames } from '../core/option-checks.ts';
import { connect, type ConnectedIntegration, type IntegrationStatus } from '../integration.ts';
import type { CrmSchemas } from '../crm/index.ts';
import type { AttributeSchema, DeclaredAttributes } from '../messaging/index.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import { createAppLimits } from './app-limits.ts';
import { createLease, type TenantFor } from './lease.ts';
import { createPendingOpens } from './pending-opens.ts';
import { createPaymentMemories } from './payment-memory.ts';
import { createPool, type Pool, type Use } from './pool.ts';
import type { ErrorPlace } from '../tools/on-error.ts';
import { storeCheck, type StoreOption } from '../tools/store-option.ts';
import { bindTenant, longestPeriodMs, type TenantOptions } from './tenant-options.ts';

/** Limits on the tenants that are held. */
interface TenantsSettings {
  /** The most integrations held, those included that close when their last use ends. @defaultValue 1000 */
  readonly max?: number | undefined;
  /**
   * The idle time after which one is closed. At least the longest period of its own limits and quotas, which would
   * begin again, and of its memory of new contacts.
   * @defaultValue 600000, ten minutes
   */
  readonly idleMs?: number | undefined;
  /** The time for `resolve`. @defaultValue 5000 */
  readonly resolveTimeoutMs?: number | undefined;
  /** The time before a `resolve` that failed, or knew no such tenant, is asked again. @defaultValue 1000 */
  readonly cooldownMs?: number | undefined;
  /** A phone call that was never finished holds its tenant no longer than this. @defaultValue 3600000, one hour */
  readonly longestPhoneCallMs?: number | undefined;
}

/** Options of {@link createTenants}: the options of each tenant, and limits on the tenants that are held. */
export interface TenantsOptions<
  ContactSchema extends AttributeSchema = DeclaredAttributes,
  CompanySchema extends AttributeSchema = DeclaredAttributes,
  Schemas extends CrmSchemas = CrmSchemas,
> extends TenantsSettings {
  /**
   * The options of one workspace or org: its addresses, credentials and pinned versions. Called on first use, once for
   * all who wait, and again after `refresh` or an eviction. `undefined`: there is no such tenant.
   */
  readonly resolve: (
    tenantId: string,
    about: { /** Aborts when it has taken too long. */ readonly signal: AbortSignal },
  ) =>
    | TenantOptions<ContactSchema, CompanySchema, Schemas>
    | undefined
    | Promise<TenantOptions<ContactSchema, CompanySchema, Schemas> | undefined>;
  /**
   * The `store` of tenants that have none of their own. Their payments are kept apart by the tenant's id.
   * @defaultValue a memory of each tenant, which outlives its integration
   */
  readonly store?: StoreOption | undefined;
  /**
   * Gets the errors of a tenant whose options have no `onError`. Also gets what an `onClose` throws, without a place.
   * @defaultValue a process warning for each cause of a tenant; what an `onClose` throws is ignored
   */
  readonly onError?:
    | ((error: unknown, place: { readonly tenantId: string } & Partial<ErrorPlace>) => unknown)
    | undefined;
}

/** The integrations of many tenants, each isolated from the others. */
export interface Tenants<
  ContactSchema extends AttributeSchema = DeclaredAttributes,
  CompanySchema extends AttributeSchema = DeclaredAttributes,
  Schemas extends CrmSchemas = CrmSchemas,
> extends AsyncDisposable {
  /**
   * Begins a use of a tenant, which is made on its first one. It is not evicted before the use ends.
   * The id has to come from the application, such as the number that was dialled; never from a model.
   * Throws `TenantUnavailableError`; `AbortedError` when the signal ends the wait, which the others go on with.
   *
   * @example
   * await using tenant = await tenants.open('workspace_1');
   * const phoneCall = tenant.startPhoneCall({ callId: 'CA123', direction: 'inbound', phone: '+14155550100' });
   */
  open(
    tenantId: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<TenantFor<ContactSchema, CompanySchema, Schemas>>;
  /** Uses a tenant for as long as `work` takes, and gives what it gives. */
  use<T>(
    tenantId: string,
    work: (tenant: TenantFor<ContactSchema, CompanySchema, Schemas>) => T | Promise<T>,
  ): Promise<T>;
  /**
   * Resolves the options again, such as after a roll-out of another API version. Later uses get an integration made of
   * them; the one before is closed when its last use has ended. If the tenant no longer exists, it's only closed. Does
   * nothing for a tenant that isn't held. Rejects with `TenantUnavailableError` when `resolve` fails or the new options
   * can't work; the tenant then goes on with the old ones.
   */
  refresh(tenantId: string): Promise<void>;
  /** Returns the tenants that are held right now. Sends nothing. */
  status(): TenantsStatus;
  /** Refuses new uses, waits up to `drainMs` for the others to end, and closes every integration. */
  close(options?: { /** @defaultValue 0 */ readonly drainMs?: number | undefined }): Promise<void>;
}

/** The number of tenants that are held, and each of them. */
export interface TenantsStatus {
  /** Made, and not closed. */
  readonly open: number;
  /** The number of these in use. */
  readonly inUse: number;
  /** The number of these that close when their last use has ended. */
  readonly draining: number;
  /** Waiting for `resolve`. */
  readonly opening: number;
  /** The ones that can be opened at once: those that are idle, the least recently used first, then those in use. */
  readonly tenants: readonly TenantStatus[];
}

/** One tenant that is held: its uses, and the state of each API. */
export interface TenantStatus {
  readonly tenantId: string;
  /** The number of current uses. */
  readonly uses: number;
  /** Since its last use ended; 0 while it is in use. */
  readonly idleForMs: number;
  /** Circuits, limits and waits of each API. */
  readonly apis: IntegrationStatus;
}

/**
 * Makes one isolated integration per workspace or org. Credentials, circuit breakers, retry budget, quota, pinned
 * versions and memory of payments are its own. Its id is on every event. Tenants that send to one messaging app share
 * its rate limit of 1,000 requests a minute, unless their options have a `rateLimit`. Throws `InvalidArgumentError` for
 * options that can't work.
 *
 * @example
 * await using tenants = createTenants({
 *   resolve: async (tenantId) => {
 *     const workspace = await workspaces.find(tenantId);
 *     return workspace && { messaging: { ...workspace.messaging, authenticate: bearer(() => secrets.read(tenantId)) } };
 *   },
 * });
 * const contact = await tenants.use('workspace_1', ({ messaging }) => messaging.contacts.findByPhone('+14155550100'));
 */
export const createTenants = <
  const ContactSchema extends AttributeSchema = DeclaredAttributes,
  const CompanySchema extends AttributeSchema = DeclaredAttributes,
  const Schemas extends CrmSchemas = CrmSchemas,
>(
  options: TenantsOptions<ContactSchema, CompanySchema, Schemas>,
): Tenants<ContactSchema, CompanySchema, Schemas> => {
  type Options = TenantOptions<ContactSchema, CompanySchema, Schemas>;
  type Value = ConnectedIntegration<ContactSchema, CompanySchema, Schemas>;
  assertKnown<TenantsOptions<ContactSchema, CompanySchema, Schemas>>(options, optionNames);
  storeCheck(options.store)();
  const { max, idleMs, resolveTimeoutMs, cooldownMs, longestPhoneCallMs } = readSettings(options);
  const paymentMemoryOf = createPaymentMemories();
  const appLimits = createAppLimits();
  const pool = createPool<Value>({ max });
  let isClosed = false;

  const end = (tenantId: string, close: (() => unknown) | undefined) =>
    closeSafely(close, (error) => options.onError?.(error, { tenantId }));

  const unavailable = (tenant: string, reason: 'closed' | 'too_many') => toUnavailable(tenant, reason, max);

  const pendingOpens = createPendingOpens<Options, Value>({
    resolve: options.resolve,
    timeoutMs: resolveTimeoutMs,
    cooldownMs,
    max,
    make: (tenantId, { onClose, ...own }) => {
      if (isClosed) throw unavailable(tenantId, 'closed');
      if (!pool.get(tenantId) && !pool.hasPlace()) throw unavailable(tenantId, 'too_many');
      const { onError } = options;
      const shared = {
        paymentMemory: paymentMemoryOf(tenantId),
        rateLimitAt: appLimits.of,
        store: options.store,
        onError: onError && ((error: unknown, place: ErrorPlace) => onError(error, { ...place, tenantId })),
      };
      const value = connect<ContactSchema, CompanySchema, Schemas>(bindTenant(tenantId, own, shared));
      return pool.put(tenantId, {
        value,
        idleMs: Math.max(idleMs, longestPeriodMs(own)),
        onClose: async () => {
          await end(tenantId, value.close);
          await end(tenantId, onClose);
        },
      });
    },
    discard: (tenantId, { onClose }) => end(tenantId, onClose),
  });

  const open: Tenants<ContactSchema, CompanySchema, Schemas>['open'] = async (tenantId, opening = {}) => {
    assertKnown(opening, { signal: true });
    assertTenantId(tenantId);
    if (isClosed) throw unavailable(tenantId, 'closed');
    const held = pool.get(tenantId);
    const lease = (found: NonNullable<typeof held>, use: Use) =>
      createLease(found, use, { longestPhoneCallMs }) as object as TenantFor<ContactSchema, CompanySchema, Schemas>;
    if (held) return lease(held, held.use());
    // Before anything is resolved: a tenant that could not be held anyway.
    if (!pendingOpens.has(tenantId) && (!pool.hasPlace() || pendingOpens.count() >= max))
      throw unavailable(tenantId, 'too_many');
    const [made, use] = await pendingOpens.use(tenantId, opening.signal);
    return lease(made, use);
  };

  const close: Tenants<ContactSchema, CompanySchema, Schemas>['close'] = async (closing = {}) => {
    // A signal handler gets the name of its signal.
    assertSpelled(closing, { drainMs: true });
    const { drainMs = 0 } = closing;
    isClosed = true;
    await pool.close(drainMs);
    await appLimits.close();
  };

  return {
    open,
    use: async (tenantId, work) => useOnce(await open(tenantId), work),
    refresh: async (tenantId) => {
      assertTenantId(tenantId);
      pendingOpens.forgetFailure(tenantId);
      if (!pool.get(tenantId) && !pendingOpens.has(tenantId)) return;
      try {
        await pendingOpens.renew(tenantId);
      } catch (error) {
        if (!(error instanceof TenantUnavailableError) || error.reason !== 'unknown') throw error;
        pool.retire(tenantId);
      } finally {
        // It goes on with the options that it has, and may be refreshed again at once.
        if (pool.get(tenantId)) pendingOpens.forgetFailure(tenantId);
      }
    },
    status: () => statusOf(pool, pendingOpens.count()),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
};

/** Reports what can't be closed, which doesn't hold up the rest. */
const closeSafely = async (close: (() => unknown) | undefined, report: (error: unknown) => void): Promise<void> => {
  try {
    await close?.();
  } catch (error) {
    ignoreErrors(() => report(error));
  }
};

const useOnce = async <Lease extends { readonly close: () => Promise<void> }, Result>(
  tenant: Lease,
  work: (tenant: Lease) => Result | Promise<Result>,
): Promise<Result> => {
  try {
    return await work(tenant);
  } finally {
    await tenant.close();
  }
};

const toUnavailable = (tenant: string, reason: 'closed' | 'too_many', max: number) =>
  new TenantUnavailableError(
    reason === 'closed' ? 'the tenants were closed' : `all ${max} tenants that may be held are in use`,
    { reason, tenant },
  );

const statusOf = (
  pool: Pick<Pool<{ readonly status: () => IntegrationStatus }>, 'draining' | 'entries'>,
  opening: number,
): TenantsStatus => {
  const draining = pool.draining();
  const tenants = pool.entries().map(({ tenantId, value, uses, idleForMs }) => ({
    tenantId,
    uses: uses(),
    idleForMs: idleForMs(),
    apis: value.status(),
  }));
  return {
    open: tenants.length + draining,
    inUse: tenants.filter(({ uses }) => uses > 0).length + draining,
    draining,
    opening,
    tenants,
  };
};

const optionNames: OptionNames<TenantsOptions> = {
  resolve: true,
  onError: true,
  store: true,
  max: true,
  idleMs: true,
  resolveTimeoutMs: true,
  cooldownMs: true,
  longestPhoneCallMs: true,
};

/** With the defaults. Throws `InvalidArgumentError` for what cannot work. */
const readSettings = ({
  resolve,
  max = 1000,
  idleMs = 600_000,
  resolveTimeoutMs = 5_000,
  cooldownMs = 1_000,
  longestPhoneCallMs = 3_600_000,
}: TenantsSettings & { readonly resolve: unknown }) => {
  if (typeof resolve !== 'function')
    throw new InvalidArgumentError('resolve', 'must be a function that gives the options of a tenant');
  if (!Number.isInteger(max) || max < 1) throw new InvalidArgumentError('max', 'must be a whole number above 0');
  for (const [field, ms] of Object.entries({ idleMs, resolveTimeoutMs, cooldownMs, longestPhoneCallMs })) {
    if (!(ms > 0 && ms < Number.POSITIVE_INFINITY))
      throw new InvalidArgumentError(field, 'must be a number of milliseconds above 0');
  }
  return { max, idleMs, resolveTimeoutMs, cooldownMs, longestPhoneCallMs };
};

/** It's part of keys and events. */
const assertTenantId = (tenantId: unknown): void => {
  if (typeof tenantId !== 'string' || tenantId.trim() === '' || tenantId.length > 200 || !tenantId.isWellFormed())
    throw new InvalidArgumentError('tenantId', 'must be a text of 1 to 200 characters that is not blank');
};
