import { apiKey } from '../../auth/secret-credential.ts';
import { bearer, oauthClientCredentials } from '../../auth/index.ts';
import type { BillingOptions } from '../../billing/index.ts';
import { stripe } from '../../billing/stripe/index.ts';
import type { CrmOptions } from '../../crm/index.ts';
import { hubspot } from '../../crm/hubspot/index.ts';
import { salesforce } from '../../crm/salesforce/index.ts';
import { isPlainHttp } from '../../http/base-url.ts';
import type { IntegrationOptions } from '../../integration.ts';
import { intercom } from '../../messaging/intercom/index.ts';
import type { MessagingOptions } from '../../messaging/index.ts';
import { zendesk, zendeskToken } from '../../messaging/zendesk/index.ts';
import { secretOfVariable } from '../../core/secret.ts';
import { badConfiguration } from './command-error.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that are read, and what each is; the sandbox prints them. */
export const environmentVariables: Readonly<Record<string, string>> = {
  MESSAGING_BASE_URL: 'base address of the messaging platform; optional for Intercom and Zendesk',
  MESSAGING_TOKEN: 'its bearer token; not for Zendesk with MESSAGING_CLIENT_ID',
  MESSAGING_ADMIN_ID: 'the admin that acts for the agent',
  MESSAGING_DIALECT: '`default`, `intercom` or `zendesk`',
  MESSAGING_SUBDOMAIN: 'what comes before `.zendesk.com`; without MESSAGING_BASE_URL',
  MESSAGING_CLIENT_ID: 'the Identifier of an OAuth client; for Zendesk',
  MESSAGING_CLIENT_SECRET: 'its secret',
  MESSAGING_EMAIL: 'the agent that MESSAGING_TOKEN acts as, if it is an API token of Zendesk: they end on 2027-04-30',
  MESSAGING_PLATFORM: 'the name in its version header; not for Intercom and Zendesk',
  MESSAGING_VERSION: 'the pinned version; for Intercom 2.16 by default, for Zendesk none',
  CRM_BASE_URL: 'base address of the CRM; optional for HubSpot',
  CRM_TOKEN: 'its bearer token; not for Salesforce with CRM_CLIENT_ID',
  CRM_CLIENT_ID: 'the Consumer Key of an external client app; for Salesforce',
  CRM_CLIENT_SECRET: 'its secret',
  CRM_DIALECT: '`default`, `salesforce` or `hubspot`',
  CRM_VERSION: 'the pinned version; for Salesforce 60.0 by default, for HubSpot 2026-09',
  BILLING_BASE_URL: 'base address of the billing API; optional with BILLING_DIALECT=stripe',
  BILLING_API_KEY: 'its key',
  BILLING_API_KEY_HEADER: 'the header of the key, `X-Api-Key` by default; not for Stripe',
  BILLING_DIALECT: '`default` or `stripe`',
  BILLING_CURRENCY: 'the currency of payments, such as `EUR`; for Stripe',
  BILLING_VERSION:
    'the first segment of its paths, such as `v1`; without it the version is in the base address. For Stripe the date of its version',
  BILLING_PAYMENTS_BELOW: 'every payment must be below it',
};

/**
 * The options that the environment spells out; `undefined` when it names no API. Throws `CommandError` for half of one,
 * with everything that is missing.
 */
export const optionsFromEnvironment = (env: Environment): IntegrationOptions | undefined => {
  const needs = [...needsOfMessaging(env), ...needsOfCrm(env), ...needsOfBilling(env)];
  const missing = needs.filter((name) => !env[name]);
  if (missing.length > 0) {
    const addresses = [...new Set(missing.map((name) => `${name.split('_')[0]}_BASE_URL`))];
    throw badConfiguration(
      missing.map((name) => `${name} is not set: ${environmentVariables[name]}`).join('; '),
      `set ${missing.length === 1 ? 'it' : 'them'} together with ${addresses.join(', ')}`,
    );
  }
  for (const name of Object.keys(environmentVariables).filter((known) => known.endsWith('_BASE_URL'))) {
    const url = URL.parse(env[name] ?? '');
    if (url && isPlainHttp(url))
      throw badConfiguration(
        `${name} must be an https URL, unless it is on loopback`,
        'for plain http, write a voice-agent.config.js with allowInsecure: true',
      );
  }
  const options: IntegrationOptions = withoutUndefined({
    messaging: hasMessaging(env) ? messagingFrom(env) : undefined,
    crm: hasCrm(env) ? crmFrom(env) : undefined,
    billing: hasBilling(env) ? billingFrom(env) : undefined,
    payments: hasBilling(env) ? { below: Number(env['BILLING_PAYMENTS_BELOW']) } : undefined,
  });
  return Object.keys(options).length > 0 ? options : undefined;
};

const messagingDialect = (env: Environment) => dialectIn(env, 'MESSAGING_DIALECT', ['default', 'intercom', 'zendesk']);
const crmDialect = (env: Environment) => dialectIn(env, 'CRM_DIALECT', ['default', 'salesforce', 'hubspot']);
const billingDialect = (env: Environment) => dialectIn(env, 'BILLING_DIALECT', ['default', 'stripe']);

const hasMessaging = (env: Environment) => Boolean(env['MESSAGING_BASE_URL']) || messagingDialect(env) !== 'default';
const hasCrm = (env: Environment) => Boolean(env['CRM_BASE_URL']) || crmDialect(env) === 'hubspot';
const hasBilling = (env: Environment) => Boolean(env['BILLING_BASE_URL']) || billingDialect(env) === 'stripe';

const needsOfMessaging = (env: Environment): readonly string[] => {
  if (!hasMessaging(env)) return [];
  const dialect = messagingDialect(env);
  if (dialect === 'zendesk') {
    const subdomain = env['MESSAGING_BASE_URL'] ? [] : ['MESSAGING_SUBDOMAIN'];
    const credential = hasTokenOfZendesk(env)
      ? ['MESSAGING_TOKEN']
      : ['MESSAGING_CLIENT_ID', 'MESSAGING_CLIENT_SECRET'];
    return ['MESSAGING_ADMIN_ID', ...credential, ...subdomain];
  }
  const always = ['MESSAGING_ADMIN_ID', 'MESSAGING_TOKEN'];
  return dialect === 'default' ? [...always, 'MESSAGING_PLATFORM', 'MESSAGING_VERSION'] : always;
};

/** A token of its own, where no client is named. */
const hasTokenOfZendesk = (env: Environment) => Boolean(env['MESSAGING_TOKEN']) && !env['MESSAGING_CLIENT_ID'];

const hasTokenOfSalesforce = (env: Environment) => Boolean(env['CRM_TOKEN']) && !env['CRM_CLIENT_ID'];

const needsOfCrm = (env: Environment): readonly string[] => {
  if (!hasCrm(env)) return [];
  const dialect = crmDialect(env);
  if (dialect === 'salesforce' && !hasTokenOfSalesforce(env)) return ['CRM_CLIENT_ID', 'CRM_CLIENT_SECRET'];
  return dialect === 'default' ? ['CRM_TOKEN', 'CRM_VERSION'] : ['CRM_TOKEN'];
};

const needsOfBilling = (env: Environment): readonly string[] => {
  if (!hasBilling(env)) return [];
  const always = ['BILLING_API_KEY', 'BILLING_PAYMENTS_BELOW'];
  return billingDialect(env) === 'stripe' ? [...always, 'BILLING_CURRENCY'] : always;
};

const messagingFrom = (env: Environment): MessagingOptions => {
  const dialect = messagingDialect(env);
  const address = addressIn(env, 'MESSAGING_BASE_URL');
  const adminId = textIn(env, 'MESSAGING_ADMIN_ID');
  if (dialect === 'zendesk') return { ...zendeskFrom(env), adminId };
  const authenticate = bearer(secretIn(env, 'MESSAGING_TOKEN'));
  const version = textIn(env, 'MESSAGING_VERSION');
  if (dialect === 'intercom') return { ...intercom(version ? { version } : {}), ...address, authenticate, adminId };
  const platform = textIn(env, 'MESSAGING_PLATFORM');
  return { baseUrl: textIn(env, 'MESSAGING_BASE_URL'), platform, version, authenticate, adminId };
};

/** With an address, the subdomain says nothing more. */
const zendeskFrom = (env: Environment) => {
  const subdomain = env['MESSAGING_BASE_URL'] ? 'account' : textIn(env, 'MESSAGING_SUBDOMAIN');
  const account = { subdomain, ...addressIn(env, 'MESSAGING_BASE_URL') };
  if (!hasTokenOfZendesk(env)) {
    const clientSecret = secretIn(env, 'MESSAGING_CLIENT_SECRET');
    return zendesk({ ...account, clientId: secretIn(env, 'MESSAGING_CLIENT_ID'), clientSecret });
  }
  const token = secretIn(env, 'MESSAGING_TOKEN');
  const email = env['MESSAGING_EMAIL'];
  return { ...zendesk(account), authenticate: email ? zendeskToken({ email, token }) : bearer(token) };
};

const crmFrom = (env: Environment): CrmOptions => {
  const dialect = crmDialect(env);
  const baseUrl = textIn(env, 'CRM_BASE_URL');
  const isClient = dialect === 'salesforce' && !hasTokenOfSalesforce(env);
  const authenticate = isClient ? salesforceClient(env) : bearer(secretIn(env, 'CRM_TOKEN'));
  const version = textIn(env, 'CRM_VERSION');
  if (dialect === 'hubspot')
    return { ...hubspot(version ? { version } : {}), ...addressIn(env, 'CRM_BASE_URL'), authenticate };
  if (dialect === 'salesforce') return { ...salesforce(version ? { version } : {}), baseUrl, authenticate };
  return { baseUrl, authenticate, version };
};

const salesforceClient = (env: Environment) =>
  oauthClientCredentials({
    tokenEndpoint: `${textIn(env, 'CRM_BASE_URL').replace(/\/$/, '')}/services/oauth2/token`,
    clientId: secretIn(env, 'CRM_CLIENT_ID'),
    clientSecret: secretIn(env, 'CRM_CLIENT_SECRET'),
  });

const billingFrom = (env: Environment): BillingOptions => {
  const version = env['BILLING_VERSION'];
  const key = secretIn(env, 'BILLING_API_KEY');
  if (billingDialect(env) === 'stripe') {
    const preset = stripe(
      withoutUndefined({ currency: textIn(env, 'BILLING_CURRENCY'), version: version || undefined }),
    );
    return { ...preset, ...addressIn(env, 'BILLING_BASE_URL'), authenticate: bearer(key) };
  }
  return {
    baseUrl: textIn(env, 'BILLING_BASE_URL'),
    authenticate: apiKey(env['BILLING_API_KEY_HEADER'] || 'X-Api-Key', key),
    version: version ? { path: version } : 'in-base-url',
  };
};

const textIn = (env: Environment, name: string): string => env[name] ?? '';

const addressIn = (env: Environment, name: string) => withoutUndefined({ baseUrl: env[name] || undefined });

const secretIn = (env: Environment, name: string) => secretOfVariable(name, () => env);

const dialectIn = (env: Environment, name: string, known: readonly string[]): string => {
  const value = env[name] || 'default';
  if (known.includes(value)) return value;
  throw badConfiguration(`${name} must be ${known.join(' or ')}`);
};
