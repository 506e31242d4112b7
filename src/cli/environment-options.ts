import { apiKey } from '../auth/api-key.ts';
import { bearer } from '../auth/bearer.ts';
import type { BillingOptions } from '../billing/index.ts';
import { stripe } from '../billing/stripe/index.ts';
import type { CrmOptions } from '../crm/index.ts';
import { hubspot } from '../crm/hubspot/index.ts';
import { salesforce } from '../crm/salesforce/index.ts';
import type { IntegrationOptions } from '../integration.ts';
import { intercom } from '../messaging/intercom/index.ts';
import type { MessagingOptions } from '../messaging/index.ts';
import { zendesk, zendeskToken } from '../messaging/zendesk/index.ts';
import { badConfiguration } from './command-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that are read, and what each is; the sandbox prints them. */
export const environmentVariables: Readonly<Record<string, string>> = {
  MESSAGING_BASE_URL: 'base address of the messaging platform; optional for Intercom and Zendesk',
  MESSAGING_TOKEN: 'its bearer token; for Zendesk also an API token, with MESSAGING_EMAIL',
  MESSAGING_ADMIN_ID: 'the admin that acts for the agent',
  MESSAGING_DIALECT: '`documented` (default), `intercom` or `zendesk`',
  MESSAGING_SUBDOMAIN: 'what comes before `.zendesk.com`; without MESSAGING_BASE_URL',
  MESSAGING_EMAIL: 'the agent that an API token of Zendesk acts as',
  MESSAGING_PLATFORM: 'the name in its version header; not for Intercom and Zendesk',
  MESSAGING_VERSION: 'the pinned version; for Intercom 2.16 by default, for Zendesk none',
  CRM_BASE_URL: 'base address of the CRM; optional for HubSpot',
  CRM_TOKEN: 'its bearer token',
  CRM_DIALECT: '`documented` (default), `salesforce` or `hubspot`',
  CRM_VERSION: 'the pinned version; for Salesforce 60.0 by default, for HubSpot none',
  BILLING_BASE_URL: 'base address of the billing API; optional with BILLING_DIALECT=stripe',
  BILLING_API_KEY: 'its key',
  BILLING_API_KEY_HEADER: 'the header of the key, `X-Api-Key` by default; not for Stripe',
  BILLING_DIALECT: '`documented` (default) or `stripe`',
  BILLING_CURRENCY: 'the currency of payments, such as `EUR`; for Stripe',
  BILLING_VERSION:
    'the first segment of its paths, such as `v1`; without it the version is in the base address. For Stripe the date of its version',
  BILLING_MAXIMUM_PAYMENT: 'every payment must be below it',
};

/** The options that the environment spells out; `undefined` when it names no API. Throws `CommandError` for half of one. */
export const optionsFromEnvironment = (env: Environment): IntegrationOptions | undefined => {
  const messaging = messagingFrom(env);
  const crm = crmFrom(env);
  const billing = billingFrom(env);
  if (!messaging && !crm && !billing) return undefined;
  return { ...(messaging && { messaging }), ...(crm && { crm }), ...(billing && { billing }) };
};

const messagingFrom = (env: Environment): MessagingOptions | undefined => {
  const dialect = dialectIn(env, 'MESSAGING_DIALECT', ['documented', 'intercom', 'zendesk']);
  const baseUrl = env['MESSAGING_BASE_URL'];
  if (!baseUrl && dialect === 'documented') return undefined;
  const authenticate = bearer(() => needed(env, 'MESSAGING_TOKEN'));
  const adminId = needed(env, 'MESSAGING_ADMIN_ID');
  const version = env['MESSAGING_VERSION'];
  needed(env, 'MESSAGING_TOKEN');
  if (dialect === 'intercom')
    return { ...intercom(version ? { version } : {}), ...(baseUrl && { baseUrl }), authenticate, adminId };
  if (dialect === 'zendesk') return { ...zendeskFrom(env), ...(baseUrl && { baseUrl }), adminId };
  const platform = needed(env, 'MESSAGING_PLATFORM');
  return { baseUrl: baseUrl ?? '', platform, version: needed(env, 'MESSAGING_VERSION'), authenticate, adminId };
};

/** With an address, the subdomain says nothing more. */
const zendeskFrom = (env: Environment) => {
  const subdomain = env['MESSAGING_BASE_URL'] ? 'account' : needed(env, 'MESSAGING_SUBDOMAIN');
  const email = env['MESSAGING_EMAIL'];
  const token = () => needed(env, 'MESSAGING_TOKEN');
  return { ...zendesk({ subdomain }), authenticate: email ? zendeskToken({ email, token }) : bearer(token) };
};

const crmFrom = (env: Environment): CrmOptions | undefined => {
  const dialect = dialectIn(env, 'CRM_DIALECT', ['documented', 'salesforce', 'hubspot']);
  const baseUrl = env['CRM_BASE_URL'];
  if (!baseUrl && dialect !== 'hubspot') return undefined;
  needed(env, 'CRM_TOKEN');
  const authenticate = bearer(() => needed(env, 'CRM_TOKEN'));
  if (dialect === 'hubspot') return { ...hubspot(), ...(baseUrl && { baseUrl }), authenticate };
  const version = env['CRM_VERSION'];
  if (dialect === 'salesforce')
    return { ...salesforce(version ? { version } : {}), baseUrl: needed(env, 'CRM_BASE_URL'), authenticate };
  return { baseUrl: needed(env, 'CRM_BASE_URL'), authenticate, version: needed(env, 'CRM_VERSION') };
};

const billingFrom = (env: Environment): BillingOptions | undefined => {
  const dialect = dialectIn(env, 'BILLING_DIALECT', ['documented', 'stripe']);
  const baseUrl = env['BILLING_BASE_URL'];
  if (!baseUrl && dialect !== 'stripe') return undefined;
  needed(env, 'BILLING_API_KEY');
  const version = env['BILLING_VERSION'];
  const maximumPayment = Number(needed(env, 'BILLING_MAXIMUM_PAYMENT'));
  if (dialect === 'stripe') {
    const preset = stripe({ currency: needed(env, 'BILLING_CURRENCY'), ...(version && { version }) });
    const authenticate = bearer(() => needed(env, 'BILLING_API_KEY'));
    return { ...preset, ...(baseUrl && { baseUrl }), authenticate, maximumPayment };
  }
  const header = env['BILLING_API_KEY_HEADER'] || 'X-Api-Key';
  return {
    baseUrl: baseUrl ?? '',
    authenticate: apiKey(header, () => needed(env, 'BILLING_API_KEY')),
    version: version ? { path: version } : 'in-base-url',
    maximumPayment,
  };
};

const needed = (env: Environment, name: string): string => {
  const value = env[name];
  if (value) return value;
  throw badConfiguration(
    `${name} is not set: ${environmentVariables[name]}`,
    `set it together with ${neighbourOf(name)}`,
  );
};

const neighbourOf = (name: string): string => `${name.split('_')[0]}_BASE_URL`;

const dialectIn = (env: Environment, name: string, known: readonly string[]): string => {
  const value = env[name] || 'documented';
  if (known.includes(value)) return value;
  throw badConfiguration(`${name} must be ${known.join(' or ')}`);
};
