// agent.ts
import { createIntegration } from 'voice-agent-integrations';
import { apiKey, fromEnv } from 'voice-agent-integrations/auth';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';

const integration = createIntegration({
  billing: {
    baseUrl: fromEnv('BILLING_BASE_URL'),
    authenticate: apiKey('X-Api-Key', fromEnv('BILLING_API_KEY')),
    version: { path: 'v1' },
    currency: 'EUR',
  },
  payments: { card: () => 'pm_on_file', below: 5000 },
  store: sqlite({ file: 'phone-calls.db' }).idempotencyStore(), // each request goes on where the last one ended
});

/** The tools of one phone call. */
export const toolsOf = ({ callId, phone }: { callId: string; phone?: string | undefined }) =>
  integration.startPhoneCall({ callId, phone }).tools;
