import { bearer, fromEnv } from 'voice-agent-integrations/auth';

export const messaging = {
  baseUrl: fromEnv('MESSAGING_BASE_URL'),
  authenticate: bearer(fromEnv('MESSAGING_TOKEN')),
  platform: fromEnv('MESSAGING_PLATFORM')(), // the name in the version's header
  version: fromEnv('MESSAGING_VERSION')(),
  adminId: fromEnv('MESSAGING_ADMIN_ID')(), // the agent writes as this admin
  // idempotency: 'key', // if it does a write once per Idempotency-Key: then one that failed is sent again
};
