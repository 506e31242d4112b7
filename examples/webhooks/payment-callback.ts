/** A payment that takes long: start it, wait for its callback while the caller waits: `npm run example webhooks/payment-callback`. */
import { deadlineIn } from 'voice-agent-integrations';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import {
  createEventWaits,
  createWebhookReceiver,
  hmac,
  notificationEvents,
  type PaymentConfirmed,
  sign,
} from 'voice-agent-integrations/webhooks';

const secret = 'shared-with-the-billing-system';
const payments = createEventWaits<PaymentConfirmed>();

const receive = createWebhookReceiver({
  authentication: [hmac({ secrets: () => secret })],
  events: { 'payment.confirmed': notificationEvents['payment.confirmed'] },
  on: { 'payment.confirmed': ({ payload }) => payments.arrived(payload.payment_id, payload) },
  store: createMemoryIdempotencyStore(),
});

/** Plays the billing system: it takes the payment at once and confirms it a moment later. */
const startPayment = async (paymentId: string, confirmation: object | undefined): Promise<void> => {
  if (!confirmation) return;
  const body = JSON.stringify({ type: 'payment.confirmed', payment_id: paymentId, ...confirmation });
  const headers = { 'content-type': 'application/json', ...(await sign(body, { secrets: () => secret })) };
  setTimeout(() => void receive(new Request('https://receiver.test/', { method: 'POST', body, headers })), 50);
};

const payAndTell = async (paymentId: string, confirmation?: object): Promise<void> => {
  await startPayment(paymentId, confirmation);
  const confirmed = await payments.waitForEvent({ key: paymentId, deadline: deadlineIn(500) });
  console.log(
    confirmed
      ? `${paymentId}: "That went through, your confirmation number is ${confirmed.confirmation_number}."`
      : `${paymentId}: "The bank is still checking. I will send you a message when it is through."`,
  );
};

await payAndTell('pay_1', { amount: 120.5, confirmation_number: 'C-1001' });
await payAndTell('pay_2');
