import type { BillingClient } from 'voice-agent-integrations/billing';
import { keepCard } from './save-card.ts';

export const askForCard = (callControlId: string, key: string, api = 'https://api.telnyx.com') =>
  fetch(`${api}/v2/calls/${encodeURIComponent(callControlId)}/actions/pay`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ connector_name: 'mine', transaction_type: 'tokenize', command_id: `card ${callControlId}` }),
  });

/** The webhook `call.payment.completed`. Check its signature first: `webhooks.unwrap` of the package `telnyx`. */
export const cardTaken = async (event: unknown, billing: BillingClient, customer: string) => {
  const { event_type, payload } = Object(Object(event).data) as { event_type?: string; payload?: object };
  const { result, token_id = '', call_control_id = '' } = Object(payload) as Record<string, string>;
  if (event_type !== 'call.payment.completed' || result !== 'success' || token_id === '') return false;
  await keepCard(billing, call_control_id, customer, token_id);
  return true;
};
