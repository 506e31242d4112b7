/**
 * The three systems behind every backend here, from the environment. In production: your base URLs, credentials from a
 * secret store in place of variables, and what outlives the process in Redis or PostgreSQL where several machines
 * answer calls (docs/scaling.md). And before real money: a number that rings can be forged, so decide who may pay with
 * `requires` and `confirm` (docs/recipes/take-a-payment.md).
 */
import { env } from 'node:process';
import { createIntegration, type Integration } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import type { Customer } from 'voice-agent-integrations/billing';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';

export interface Connected {
  readonly integration: Integration;
  /** Lets what is being written end. */
  readonly close: () => Promise<void>;
}

/** Before a server listens: throws what a person has to fix, and prints what is only down. */
export const checked = async (connected: Connected): Promise<Connected> => {
  const { notes } = await connected.integration.check();
  for (const { part, problem, help } of notes) console.warn(`${part}: ${problem}: ${help}`);
  return connected;
};

/** A variable without which a backend does not start. */
export const setting = (name: string): string => {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
};

export const connect = (): Connected => {
  // Both survive the process: a payment that was asked for before a crash is not made again after it, and a phone call
  // that has ended is written down when the systems are back.
  const file = env['CALLS_FILE'] ?? 'calls.db';
  const store = sqlite({ file }).idempotencyStore();
  const queue = sqlite({ file }).messageQueue();

  const integration = createIntegration({
    messaging: {
      baseUrl: setting('MESSAGING_BASE_URL'),
      authenticate: bearer(() => setting('MESSAGING_TOKEN')),
      platform: 'Acme',
      version: '2.11',
      adminId: setting('MESSAGING_ADMIN_ID'),
    },
    crm: { baseUrl: setting('CRM_BASE_URL'), authenticate: bearer(() => setting('CRM_TOKEN')), version: '60.0' },
    billing: {
      baseUrl: setting('BILLING_BASE_URL'),
      authenticate: apiKey('X-Api-Key', () => setting('BILLING_API_KEY')),
      version: { path: 'v1' },
      maximumPayment: 5000,
    },
    onError: (error, { part, tool = part }) => console.error(`${tool} failed`, error),
    finishLater: { queue },
    phoneCalls: {
      // Read while the agent says hello.
      prefetch: ['callerContext', 'invoices'],
      tools: {
        store,
        // The model never sees an id of the customer or of a card.
        billing: { payments: { bind: { payment_method_id: { fromCustomer: cardOf } } } },
      },
    },
  });

  return {
    integration,
    close: async () => {
      await integration.close();
      await queue.close(5_000);
      // The store stays open: a payment that was sent still has to be settled in it, and it keeps no process alive.
    },
  };
};

/** Where your billing API's customer has the card on file. */
const cardOf = ({ default_payment_method: card }: Customer): string | undefined =>
  typeof card === 'string' ? card : undefined;
