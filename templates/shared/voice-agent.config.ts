import type { IntegrationOptions } from 'voice-agent-integrations';
import { billing, cardOf } from './src/billing.ts';
import { crm } from './src/crm.ts';
import { messaging } from './src/messaging.ts';
import { store } from './src/store.ts';

/** Your three systems, and what all phone calls have in common. `npm run doctor` checks what this gives. */
export default () =>
  ({
    messaging: messaging(),
    crm: crm(),
    billing: billing(),
    onError: (error, { part, tool = part, callId }) => console.error(`${tool} failed in call ${callId}`, error),
    phoneCalls: {
      prefetch: ['callerContext', 'invoices'], // read while the caller still speaks
      tools: {
        store: store.idempotencyStore(), // a payment is made once, also across a restart
        // The card comes from the customer's account. The model never sees it.
        billing: { payments: { bind: { payment_method_id: { fromCustomer: cardOf } } } },
      },
    },
  }) satisfies IntegrationOptions;
