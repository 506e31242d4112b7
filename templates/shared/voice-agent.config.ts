import type { IntegrationOptions } from 'voice-agent-integrations';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';
import { billing, payments } from './billing.ts';
import { crm } from './crm.ts';
import { messaging } from './messaging.ts';

// What outlives the process. Several machines share Redis or PostgreSQL instead.
const disk = sqlite({ file: process.env['STORE_FILE'] ?? 'voice-agent.db' });
export const store = disk.idempotencyStore();
export const queue = disk.messageQueue();

/** Your three systems, and what all phone calls have in common. `npm run doctor` checks it. */
export default (): IntegrationOptions => ({
  messaging,
  crm,
  billing,
  payments,
  store, // a payment is made once, also across a restart
  finishLater: { queue }, // a call that ended is stored, and written when the systems take it
  onError: (error, { part, tool = part, callId }) => console.error(`${tool} failed in call ${callId}:`, error),
  phoneCalls: { prefetch: ['callerContext', 'invoices'] }, // read while the caller still speaks
});
