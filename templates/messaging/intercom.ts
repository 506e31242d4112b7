import { bearer, fromEnv } from 'voice-agent-integrations/auth';
import { intercom } from 'voice-agent-integrations/messaging/intercom';

export const messaging = {
  ...intercom({ baseUrl: process.env['MESSAGING_BASE_URL'] }), // the sandbox sets it
  authenticate: bearer(fromEnv('MESSAGING_TOKEN')),
  adminId: fromEnv('MESSAGING_ADMIN_ID')(), // the agent writes as this admin
};
