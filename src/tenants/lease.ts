import { TenantUnavailableError } from '../errors.ts';
import type { Integration } from '../integration.ts';
import type { AttributeSchema, DeclaredAttributes } from '../messaging/index.ts';
import type { PhoneCall } from '../phone-call.ts';
import type { Instance, Use } from './instance.ts';
import { assertSameTenant } from './tenant-options.ts';

/**
 * The integration of one tenant, as long as it is used. `close`, or `await using`, ends the use and nothing else: the
 * integration stays for whoever comes next. A phone call that was started here goes on and keeps the tenant by itself.
 * After `close`, everything here throws `TenantUnavailableError`.
 */
export interface Tenant<
  ContactSchema extends AttributeSchema = DeclaredAttributes,
  CompanySchema extends AttributeSchema = DeclaredAttributes,
> extends Integration<ContactSchema, CompanySchema> {
  readonly tenantId: string;
}

/** Hands an instance out to one user. */
export const createLease = <ContactSchema extends AttributeSchema, CompanySchema extends AttributeSchema>(
  tenantId: string,
  instance: Instance<Integration<ContactSchema, CompanySchema>>,
  use: Use,
  { longestPhoneCallMs }: { readonly longestPhoneCallMs: number },
): Tenant<ContactSchema, CompanySchema> => {
  let isOver = false;

  const integration = () => {
    if (!isOver) return instance.integration;
    throw new TenantUnavailableError('this use of the tenant is over: open it again', {
      reason: 'closed',
      tenant: tenantId,
    });
  };

  const close = async () => {
    isOver = true;
    use.end();
  };

  return {
    tenantId,
    get messaging() {
      return integration().messaging;
    },
    get crm() {
      return integration().crm;
    },
    get billing() {
      return integration().billing;
    },
    startPhoneCall: (options) => {
      assertSameTenant('tools.tenant', tenantId, options.tools?.tenant);
      const phoneCall = integration().startPhoneCall(options);
      return holding(phoneCall, () => instance.use(longestPhoneCallMs));
    },
    warmUp: (options) => integration().warmUp(options),
    status: () => integration().status(),
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** A phone call holds its tenant from its start until `finish` has ended, and again while a later `finish` works. */
const holding = (phoneCall: PhoneCall, hold: () => Use | undefined): PhoneCall => {
  const inProgress = hold();
  const finish: PhoneCall['finish'] = async (...said) => {
    const finishing = hold();
    try {
      return await phoneCall.finish(...said);
    } finally {
      finishing?.end();
      inProgress?.end();
    }
  };
  // With descriptors, since a phone call tells who is on it through a getter; `finish` is the only one that is replaced.
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(phoneCall),
      finish: { value: finish, enumerable: true },
    },
  ) as PhoneCall;
};
