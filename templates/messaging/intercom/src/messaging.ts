import { bearer, fromEnv } from 'voice-agent-integrations/auth';
import type { MessagingOptions } from 'voice-agent-integrations/messaging';
import { intercom } from 'voice-agent-integrations/messaging/intercom';

const preset = intercom();

export const messaging = (): MessagingOptions => ({
  ...preset,
  baseUrl: process.env['MESSAGING_BASE_URL'] ?? preset.baseUrl, // the sandbox sets it
  authenticate: bearer(fromEnv('MESSAGING_TOKEN')),
  adminId: fromEnv('MESSAGING_ADMIN_ID'), // the agent writes as this admin
});
