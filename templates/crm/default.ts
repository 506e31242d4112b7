import { bearer, fromEnv } from 'voice-agent-integrations/auth';

export const crm = {
  baseUrl: fromEnv('CRM_BASE_URL'),
  authenticate: bearer(fromEnv('CRM_TOKEN')),
  version: fromEnv('CRM_VERSION')(),
  rateLimit: { limit: 100, perMs: 10_000 }, // as your API's plan says
  // idempotency: 'key', // if it does a write once per Idempotency-Key: then one that failed is sent again
};
