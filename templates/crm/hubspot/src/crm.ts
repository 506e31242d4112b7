import { bearer, fromEnv } from 'voice-agent-integrations/auth';
import type { CrmOptions } from 'voice-agent-integrations/crm';
import { hubspot } from 'voice-agent-integrations/crm/hubspot';

const preset = hubspot();

export const crm = (): CrmOptions => ({
  ...preset,
  baseUrl: process.env['CRM_BASE_URL'] ?? preset.baseUrl, // the sandbox sets it
  authenticate: bearer(fromEnv('CRM_TOKEN')),
});
