import { fromEnv, oauthClientCredentials } from 'voice-agent-integrations/auth';
import { salesforce } from 'voice-agent-integrations/crm/salesforce';

export const crm = {
  ...salesforce(),
  baseUrl: fromEnv('CRM_BASE_URL'), // such as https://acme.my.salesforce.com
  authenticate: oauthClientCredentials({
    tokenEndpoint: `${fromEnv('CRM_BASE_URL')()}/services/oauth2/token`,
    clientId: fromEnv('CRM_CLIENT_ID'),
    clientSecret: fromEnv('CRM_CLIENT_SECRET'),
  }),
};
