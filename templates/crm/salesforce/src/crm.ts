import { bearer, fromEnv } from 'voice-agent-integrations/auth';
import type { CrmOptions } from 'voice-agent-integrations/crm';
import { salesforce } from 'voice-agent-integrations/crm/salesforce';

export const crm = (): CrmOptions => ({
  ...salesforce(),
  baseUrl: fromEnv('CRM_BASE_URL'), // such as https://acme.my.salesforce.com
  authenticate: bearer(fromEnv('CRM_TOKEN')), // a token ends after hours: a connected app gets new ones
});
