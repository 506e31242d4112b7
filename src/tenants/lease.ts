import { TenantUnavailableError } from '../core/errors.ts';
import type { ConnectedIntegration, IntegrationOf } from '../integration.ts';
import { configuredClients } from '../phone-call/steps/clients-of.ts';
import type { CrmSchemas } from '../crm/index.ts';
import type { AttributeSchema, DeclaredAttributes } from '../messaging/index.ts';
import type { PhoneCallOptions } from '../phone-call/start-phone-call.ts';
import type { Held, Use } from './pool.ts';
import { setUnrefTimer } from '../core/timers.ts';
import { ownReport } from '../tools/on-error.ts';
import { ownPayments } from '../tools/payment-rules.ts';
import { assertSameTenant } from './tenant-options.ts';

/**
 * The integration of one tenant, as long as it is used. `close`, or `await using`, ends the use and nothing else: the
 * integration stays for the next use. A phone call that was started here goes on and keeps the tenant by itself.
 * After `close`, everything here throws `TenantUnavailableError`.
 */
export interface Tenant extends TenantOf<DeclaredAttributes, DeclaredAttributes, CrmSchemas> {}

/** The tenant with these schemas: a {@link Tenant} where none are declared. */
export type TenantFor<
  ContactSchema extends AttributeSchema,
  CompanySchema extends AttributeSchema,
  Schemas extends CrmSchemas,
> = [string, string, string] extends [keyof ContactSchema, keyof CompanySchema, keyof Schemas]
  ? Tenant
  : TenantOf<ContactSchema, CompanySchema, Schemas>;

/** A {@link Tenant} whose attributes and fields are declared. */
export interface TenantOf<
  ContactSchema extends AttributeSchema,
  CompanySchema extends AttributeSchema,
  Schemas extends CrmSchemas,
> extends IntegrationOf<ContactSchema, CompanySchema, Schemas> {
  /** The id that was opened. */
  readonly tenantId: string;
}

/** The parts of an integration that a finish worker takes. */
type Inside = Pick<
  ConnectedIntegration<AttributeSchema, AttributeSchema>,
  typeof configuredClients | typeof ownReport | typeof ownPayments
>;

/** The operations of one use of a tenant. */
export const createLease = <
  ContactSchema extends AttributeSchema,
  CompanySchema extends AttributeSchema,
  Schemas extends CrmSchemas,
>(
  { tenantId, value, use: begin }: Held<ConnectedIntegration<ContactSchema, CompanySchema, Schemas>>,
  use: Use,
  { longestPhoneCallMs }: { readonly longestPhoneCallMs: number },
): TenantOf<ContactSchema, CompanySchema, Schemas> & Inside => {
  let isOver = false;

  const integration = () => {
    if (!isOver) return value;
    throw new TenantUnavailableError('this use of the tenant is over: open it again', {
      reason: 'closed',
      tenant: tenantId,
    });
  };

  const assertOwn = ({ tools }: Pick<PhoneCallOptions<Schemas>, 'tools'>) =>
    assertSameTenant('tools.tenant', tenantId, tools?.tenant);

  const close = async () => {
    isOver = true;
    use.end();
  };

  return {
    tenantId,
    get [configuredClients]() {
      return integration()[configuredClients];
    },
    get [ownReport]() {
      return integration()[ownReport];
    },
    get [ownPayments]() {
      return integration()[ownPayments];
    },
    get messaging() {
      return integration().messaging;
    },
    get crm() {
      return integration().crm;
    },
    get billing() {
      return integration().billing;
    },
    toJSON: () => integration().toJSON(),
    startPhoneCall: (options) => {
      assertOwn(options);
      const tenant = integration();
      // A phone call holds its tenant from its start until `finish` has ended, and again while a later `finish` works.
      const inProgress = begin();
      const cancel = setUnrefTimer(inProgress.end, longestPhoneCallMs);
      const release = () => {
        cancel();
        inProgress.end();
      };
      try {
        return tenant.startPhoneCall(options, async (finish) => {
          const finishing = begin();
          try {
            return await finish();
          } finally {
            finishing.end();
            release();
          }
        });
      } catch (error) {
        release();
        throw error;
      }
    },
    liveCalls: (options) => {
      // They hold their tenant until they are closed.
      const inProgress = begin();
      try {
        return integration().liveCalls(options, { check: assertOwn, onClose: inProgress.end });
      } catch (error) {
        inProgress.end();
        throw error;
      }
    },
    warmUp: (options) => integration().warmUp(options),
    check: async (options) => integration().check(options),
    status: () => integration().status(),
    close,
    [Symbol.asyncDispose]: close,
  };
};
