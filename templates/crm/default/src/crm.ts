import { bearer, fromEnv } from 'voice-agent-integrations/auth';
import type { CrmOptions } from 'voice-agent-integrations/crm';

export const crm = (): CrmOptions => ({
  baseUrl: fromEnv('CRM_BASE_URL'),
  authenticate: bearer(fromEnv('CRM_TOKEN')),
  version: fromEnv('CRM_VERSION')(),
});
