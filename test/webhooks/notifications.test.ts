import { expect, it } from 'vitest';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createEventWaits } from '../../src/webhooks/event-waits.ts';
import { hmac } from '../../src/webhooks/authentication/hmac.ts';
import { notificationEvents, type PaymentConfirmed } from '../../src/webhooks/notifications.ts';
import { createWebhookReceiver } from '../../src/webhooks/receiver.ts';
import { delivery, secret } from './receiver-parts.ts';

const make = () => {
  const payments = createEventWaits<PaymentConfirmed>();
  const received: string[] = [];
  const receive = createWebhookReceiver({
    authentication: [hmac({ secrets: () => secret })],
    store: createMemoryIdempotencyStore(),
    events: notificationEvents,
    on: {
      'payment.confirmed': ({ payload }) => payments.arrived(payload.payment_id, payload),
      'appointment.confirmed': ({ payload }) => void received.push(`${payload.appointment_id} at ${payload.starts_at}`),
      'status.changed': ({ payload }) => void received.push(`${payload.record_id} is ${payload.status}`),
    },
  });
  return { receive, payments, received };
};

it('a phone call waits for the payment that another system confirms', async () => {
  const { receive, payments } = make();
  const wait = payments.waitForEvent({ key: 'pay_1', deadline: 5_000 });

  const answer = await receive(delivery({ type: 'payment.confirmed', payment_id: 'pay_1', amount: 120.5 }));

  expect(answer.status).toBe(204);
  expect(await wait).toEqual({ type: 'payment.confirmed', payment_id: 'pay_1', amount: 120.5 });
});

it('appointments that lie ahead and changes of a status are taken', async () => {
  const { receive, received } = make();

  await receive(
    delivery({ type: 'appointment.confirmed', appointment_id: 'apt_1', starts_at: '2999-01-01T10:00:00Z' }),
  );
  await receive(delivery({ type: 'status.changed', record_id: '00Q1', record_type: 'Lead', status: 'nurture' }));

  expect(received).toEqual(['apt_1 at 2999-01-01T10:00:00Z', '00Q1 is nurture']);
});

it.each([
  ['a payment without id', { type: 'payment.confirmed' }],
  ['a negative payment', { type: 'payment.confirmed', payment_id: 'pay_1', amount: -1 }],
])('%s is refused', async (_, body) => {
  expect((await make().receive(delivery(body))).status).toBe(422);
});
