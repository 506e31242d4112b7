/**
 * The three systems behind every backend here, from the environment. In production: your base URLs, credentials from a
 * secret store in place of variables, and what outlives the process in Redis or PostgreSQL where several machines
 * answer calls (docs/scaling.md). And before real money: a number that rings can be forged, so decide who may pay with
 * `requires` and `confirm` (docs/recipes/take-a-payment.md).
 */
import { createIntegration } from 'voice-agent-integrations';
import { apiKey, bearer, fromEnv } from 'voice-agent-integrations/auth';
import type { Customer } from 'voice-agent-integrations/billing';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';

// A payment that was asked for before a crash is not made again after it, and a phone call that has ended is written
// down when the systems are back.
const disk = sqlite({ file: process.env['CALLS_FILE'] ?? 'calls.db' });

/** Where your billing API's customer has the card on file. */
const cardOf = ({ default_payment_method: card }: Customer) => (typeof card === 'string' ? card : undefined);

export const integration = createIntegration({
  messaging: {
    baseUrl: fromEnv('MESSAGING_BASE_URL'),
    authenticate: bearer(fromEnv('MESSAGING_TOKEN')),
    platform: 'Acme',
    version: '2.11',
    adminId: fromEnv('MESSAGING_ADMIN_ID')(),
  },
  crm: { baseUrl: fromEnv('CRM_BASE_URL'), authenticate: bearer(fromEnv('CRM_TOKEN')), version: '60.0' },
  billing: {
    baseUrl: fromEnv('BILLING_BASE_URL'),
    authenticate: apiKey('X-Api-Key', fromEnv('BILLING_API_KEY')),
    version: { path: 'v1' },
    currency: 'USD',
  },
  payments: { card: cardOf, below: 5000 },
  store: disk.idempotencyStore(),
  onError: (error, { part, tool = part }) => console.error(`${tool} failed`, error),
  // Elsewhere is a process of worker.ts.
  finishLater: { queue: disk.messageQueue(), work: process.env['WRITE_CALLS'] !== 'elsewhere' },
  phoneCalls: {
    prefetch: ['callerContext', 'invoices'], // read while the agent says hello
  },
});

/** Before anyone calls: throws what a person has to fix, and prints what is only down. */
export const check = async (): Promise<void> => {
  const { notes } = await integration.check();
  for (const { part, problem, help } of notes) console.warn(`${part}: ${problem}: ${help}`);
};
