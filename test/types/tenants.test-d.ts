import { expectTypeOf, test } from 'vitest';
import {
  createTenants,
  type Credential,
  type Integration,
  type PhoneCall,
  type Tenant,
  type TenantOptions,
  type Tenants,
} from 'voice-agent-integrations';
import { type ParsedPhone, parsePhone, phoneFormats } from 'voice-agent-integrations/phone';
import { salesforce } from 'voice-agent-integrations/crm/salesforce';
import { checkContract, type ContractReport } from 'voice-agent-integrations/testing';

declare const authenticate: Credential;
const crm = { baseUrl: 'https://crm.example.com', authenticate, version: '60.0' };
const messaging = { baseUrl: 'https://api.example.com', authenticate, platform: 'Acme', version: '2.11' };

test('a tenant is an integration with its id', async () => {
  const tenants = createTenants({ resolve: async (tenantId): Promise<TenantOptions> => ({ crm, appName: tenantId }) });

  expectTypeOf(tenants).toEqualTypeOf<Tenants>();
  expectTypeOf(tenants.open).returns.resolves.toEqualTypeOf<Tenant>();
  expectTypeOf<Tenant>().toExtend<Integration>();
  expectTypeOf(tenants.use('acme', ({ crm: client }) => client.leads.search({ phone: '+1' }))).resolves.toHaveProperty(
    'data',
  );
  expectTypeOf<ReturnType<Tenant['startPhoneCall']>>().toEqualTypeOf<PhoneCall>();
});

test('options may come at once, later, or not at all', () => {
  createTenants({ resolve: () => ({ crm }) });
  createTenants({ resolve: async () => ({ crm }) });
  createTenants({ resolve: () => undefined });
  createTenants({ resolve: async (tenantId) => (tenantId === 'acme' ? { crm } : undefined) });
  // @ts-expect-error: a promise of options, not a text
  createTenants({ resolve: () => 'acme' });
});

test('custom attributes that all tenants declare are typed', async () => {
  const tenants = createTenants({
    resolve: () => ({ messaging: { ...messaging, customAttributes: { plan: ['free', 'pro'] } } }),
  });
  const tenant = await tenants.open('acme');

  type Attributes = NonNullable<
    NonNullable<Awaited<ReturnType<typeof tenant.messaging.contacts.get>>>['custom_attributes']
  >;
  expectTypeOf<Attributes['plan']>().toEqualTypeOf<'free' | 'pro' | null | undefined>();
});

test('a parsed phone number is narrowed by ok', () => {
  const parsed = parsePhone('+14155550100');

  expectTypeOf(parsed).toEqualTypeOf<ParsedPhone>();
  if (parsed.ok) expectTypeOf(parsed.e164).toEqualTypeOf<string>();
  // @ts-expect-error: only a number has it
  else void parsed.e164;
  salesforce({ phoneFormats });
});

test('a contract check is given the options of integrations', () => {
  expectTypeOf(
    checkContract({ current: { crm }, candidate: { crm: { ...crm, version: '61.0' } } }),
  ).resolves.toEqualTypeOf<ContractReport>();
});
