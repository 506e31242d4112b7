import type { BillingClient } from 'voice-agent-integrations/billing';
import { keepCard } from './save-card.ts';

export const askForCard = (action: string) =>
  `<Response><Pay paymentConnector="Stripe" tokenType="payment-method" action="${action}"/></Response>`;

/** Twilio's POST to `action`. Check its signature first: `validateRequest` of the package `twilio`. */
export const cardTaken = async (
  form: URLSearchParams,
  billing: BillingClient,
  { customer, relay }: { readonly customer: string; readonly relay: string },
) => {
  const [callId = '', result, token = ''] = ['CallSid', 'Result', 'PaymentToken'].map((name) => form.get(name) ?? '');
  if (result === 'success' && token.startsWith('pm_')) await keepCard(billing, callId, customer, token);
  return `<Response><Connect><ConversationRelay url="${relay}"/></Connect></Response>`;
};
