import { fromEnv } from 'voice-agent-integrations/auth';
import { hubspot } from 'voice-agent-integrations/crm/hubspot';

export const crm = hubspot({
  key: fromEnv('CRM_TOKEN'),
  baseUrl: process.env['CRM_BASE_URL'], // the sandbox sets it
});
