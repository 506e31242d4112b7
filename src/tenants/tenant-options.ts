import { InvalidArgumentError } from '../core/errors.ts';
import { connectionOf } from '../billing/own/connection-of.ts';
import type { ConnectionOptions } from '../http/operation.ts';
import type { IntegrationOptions } from '../integration.ts';
import type { CrmSchemas } from '../crm/index.ts';
import type { AttributeSchema, DeclaredAttributes } from '../messaging/index.ts';
import type { PhoneCallSettings } from '../phone-call/start-phone-call.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import type { RateLimiter } from '../stores/ports/rate-limiter.ts';
import type { Setting } from '../core/setting.ts';
import type { OnError } from '../tools/on-error.ts';
import { asMemory, type StoreOption } from '../tools/store-option.ts';

/** The options of one tenant's integration. Its `tenant` is the id that was opened. */
export interface TenantOptions<
  ContactSchema extends AttributeSchema = DeclaredAttributes,
  CompanySchema extends AttributeSchema = DeclaredAttributes,
  Schemas extends CrmSchemas = CrmSchemas,
> extends IntegrationOptions<ContactSchema, CompanySchema, Schemas> {
  /**
   * Closes what `resolve` opened for this tenant alone, such as a transport with sockets of its own. Called once, after
   * the last use, also when the options turn out not to work.
   */
  readonly onClose?: (() => void | Promise<void>) | undefined;
}

/**
 * Puts the tenant's id on everything. Fills in the memory of payments and the app's rate limit, unless the options have
 * their own. Throws `InvalidArgumentError` for options of another tenant.
 */
export const bindTenant = <Options extends AnyOptions>(
  tenantId: string,
  options: Options,
  { paymentMemory, rateLimitAt, onError, store }: SharedParts,
): Options => {
  const { messaging, crm, billing, phoneCalls, tenant } = options;
  const named = {
    tenant,
    'messaging.tenant': messaging?.tenant,
    'crm.tenant': crm?.tenant,
    'billing.tenant': billing && connectionOf(billing).tenant,
    'phoneCalls.tools.tenant': phoneCalls?.tools?.tenant,
  };
  for (const [field, name] of Object.entries(named)) assertSameTenant(field, tenantId, name);
  // A wrong one is refused where the integration is made.
  const { store: payStore = store } = options;
  return {
    ...options,
    tenant: tenantId,
    store: payStore === undefined || payStore === 'memory' ? asMemory(paymentMemory, payStore === 'memory') : payStore,
    onError: options.onError ?? onError,
    messaging: messaging && {
      ...messaging,
      tenant: tenantId,
      rateLimit: messaging.rateLimit ?? rateLimitAt(messaging.baseUrl),
    },
    crm: crm && { ...crm, tenant: tenantId },
    // A client of your own is made with its tenant, or serves them all.
    billing: billing && ('own' in billing ? billing : { ...billing, tenant: tenantId }),
    phoneCalls: {
      ...phoneCalls,
      tools: { ...phoneCalls?.tools, tenant: tenantId },
    },
  };
};

/** Whatever they declare. */
type AnyOptions = Omit<IntegrationOptions<AttributeSchema, AttributeSchema>, 'phoneCalls'> & {
  readonly phoneCalls?: Pick<PhoneCallSettings, 'tools'> | undefined;
};

/** The parts that outlive the tenant's integration. */
interface SharedParts {
  readonly paymentMemory: IdempotencyStore;
  readonly rateLimitAt: (baseUrl: Setting) => RateLimiter;
  /** The defaults of tenants that have none. */
  readonly onError: OnError | undefined;
  readonly store: StoreOption | undefined;
}

/** Two tenants that are mixed up are an error before anything is sent. */
export const assertSameTenant = (field: string, tenantId: string, named: string | undefined): void => {
  if (named !== undefined && named !== tenantId)
    throw new InvalidArgumentError(field, 'names another tenant than the one that was asked for');
};

/**
 * Returns the longest period of its limits and quotas, which would begin again too soon, and of its memory of new
 * contacts. Without that memory, a caller who rings back would become a second contact.
 */
export const longestPeriodMs = ({ messaging, crm, billing }: AnyOptions): number =>
  Math.max(
    messaging?.dialect?.searchDelayMs ?? 0,
    ...[messaging, crm, billing && connectionOf(billing)].flatMap((client) => (client ? periodsOf(client) : [])),
  );

const periodsOf = ({ rateLimit, quota }: ConnectionOptions): readonly number[] => {
  const own = typeof rateLimit === 'object' && 'perMs' in rateLimit ? [rateLimit, rateLimit.perTenant, quota] : [quota];
  return own.flatMap((limit) => (limit ? [limit.perMs] : []));
};
