import { webhook } from 'voice-agent-integrations/webhooks/next';
import { paymentEvents } from '../../../src/payment-events.ts';

export const { POST, HEAD } = webhook(paymentEvents);
