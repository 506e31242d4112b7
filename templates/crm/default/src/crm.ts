import { bearer, fromEnv } from 'voice-agent-integrations/auth';
import type { CrmOptions } from 'voice-agent-integrations/crm';

export const crm = (): CrmOptions => ({
  baseUrl: fromEnv('CRM_BASE_URL'),
  authenticate: bearer(fromEnv('CRM_TOKEN')),
  version: fromEnv('CRM_VERSION')(),
  // idempotency: 'key', // if it does a write once per Idempotency-Key: then one that failed is sent again
});
