import { fromEnv } from 'voice-agent-integrations/auth';
import type { MessagingOptions } from 'voice-agent-integrations/messaging';
import { zendesk, zendeskToken } from 'voice-agent-integrations/messaging/zendesk';

export const messaging = (): MessagingOptions => {
  const preset = zendesk({ subdomain: process.env['MESSAGING_SUBDOMAIN'] ?? 'acme' }); // acme.zendesk.com
  return {
    ...preset,
    baseUrl: process.env['MESSAGING_BASE_URL'] ?? preset.baseUrl, // the sandbox sets it
    authenticate: zendeskToken({ email: fromEnv('MESSAGING_EMAIL')(), token: fromEnv('MESSAGING_TOKEN') }),
    adminId: fromEnv('MESSAGING_ADMIN_ID'), // the agent writes as this admin
  };
};
