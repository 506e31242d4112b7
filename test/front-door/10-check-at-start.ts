// Everything that is wrong, in one error, before anyone calls.
import { createIntegration, NotReadyError } from 'voice-agent-integrations';
import { apiKey, fromEnv } from 'voice-agent-integrations/auth';
import { phoneReader } from 'voice-agent-integrations/phone';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';

const integration = createIntegration({
  billing: { baseUrl: fromEnv('BILLING_BASE_URL'), authenticate: apiKey('X-Api-Key', fromEnv('BILLING_API_KEY')) },
  payments: { card: ({ card_id: card }) => (typeof card === 'string' ? card : undefined), below: 500, perCall: 800 },
  store: sqlite({ file: 'voice-agent.db' }).idempotencyStore(),
  readPhone: phoneReader({ defaultCountry: 'US' }), // (415) 555-0100 is +14155550100
});

try {
  const { notes } = await integration.check({ deadlineMs: 10_000 });
  for (const { part, problem, help } of notes) console.warn(`${part}: ${problem}: ${help}`);
} catch (error) {
  if (!(error instanceof NotReadyError)) throw error;
  console.error(error.message); // all of them, one a line
  process.exitCode = 1;
}
await integration.close();
