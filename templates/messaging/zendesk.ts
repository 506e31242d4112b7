import { fromEnv } from 'voice-agent-integrations/auth';
import { zendesk } from 'voice-agent-integrations/messaging/zendesk';

export const messaging = {
  ...zendesk({
    subdomain: process.env['MESSAGING_SUBDOMAIN'] ?? 'acme', // acme.zendesk.com
    baseUrl: process.env['MESSAGING_BASE_URL'], // the sandbox sets it
    clientId: fromEnv('MESSAGING_CLIENT_ID'),
    clientSecret: fromEnv('MESSAGING_CLIENT_SECRET'),
  }),
  adminId: fromEnv('MESSAGING_ADMIN_ID')(), // the agent writes as this admin
};
