import { createIntegration, type Integration } from 'voice-agent-integrations';
import options from '../voice-agent.config.ts';
import { cardOf } from './billing.ts';
import { store } from './store.ts';

let made: Integration | undefined;

/** Made with the first request, so that a build needs no credentials. */
export const integration = (): Integration =>
  (made ??= createIntegration({
    ...options(),
    phoneCalls: {
      prefetch: ['callerContext', 'invoices'], // read while the caller still speaks
      tools: {
        store: store.idempotencyStore(), // a payment is made once, also across a restart
        // The card comes from the customer's account. The model never sees it.
        billing: { payments: { bind: { payment_method_id: { fromCustomer: cardOf } } } },
        onError: (error, { tool }) => console.error(tool, error),
      },
    },
  }));
