/** A route file of Next, such as app/hook/billing/route.ts: `npm run example webhooks/next`. */
import { webhook } from 'voice-agent-integrations/webhooks/next';
import { deliverTo } from './support/deliveries.ts';
import { createBillingReceiver } from './support/receiver.ts';

export const { POST, HEAD } = webhook(createBillingReceiver());

await deliverTo(POST);
