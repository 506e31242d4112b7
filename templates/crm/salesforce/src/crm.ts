import { fromEnv, oauthClientCredentials } from 'voice-agent-integrations/auth';
import type { CrmOptions } from 'voice-agent-integrations/crm';
import { salesforce } from 'voice-agent-integrations/crm/salesforce';

export const crm = (): CrmOptions => {
  const baseUrl = fromEnv('CRM_BASE_URL')(); // such as https://acme.my.salesforce.com
  return {
    ...salesforce(),
    baseUrl,
    authenticate: oauthClientCredentials({
      tokenEndpoint: `${baseUrl}/services/oauth2/token`,
      clientId: fromEnv('CRM_CLIENT_ID'),
      clientSecret: fromEnv('CRM_CLIENT_SECRET'),
    }),
  };
};
