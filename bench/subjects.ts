import ky from 'ky';
import type { Transport } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { createBillingClient } from 'voice-agent-integrations/billing';
import { createMessagingClient } from 'voice-agent-integrations/messaging';
import { undiciTransport } from 'voice-agent-integrations/transport/undici';
import { contact, contactJson, newPayment, paymentJson } from './answers.ts';
import type { Subject } from './measure.ts';

/** Our layers from the client's method to the transport, which answers from memory. */
export const ownLayers = (): readonly Subject[] => {
  const baseUrl = 'https://api.example.com';
  const messaging = messagingAt(baseUrl, fromMemory(contactJson));
  const billing = billingAt(baseUrl, fromMemory(paymentJson));
  return [
    { name: 'JSON.parse of the contact', call: async () => JSON.parse(contactJson) },
    { name: 'own layers, GET', call: () => messaging.contacts.get(contact.id) },
    { name: 'own layers, POST', call: () => billing.payments.create(newPayment) },
  ];
};

/** One GET of a contact over loopback. */
export const gets = (baseUrl: string): readonly Subject[] => {
  const url = `${baseUrl}/contacts/${contact.id}`;
  const messaging = messagingAt(baseUrl);
  const onUndici = messagingAt(baseUrl, undiciTransport());
  return [
    { name: 'fetch, GET', call: async () => (await fetch(url, { headers })).json() },
    { name: 'ky, GET', call: () => ky.get(url, { headers }).json() },
    { name: 'full stack, GET', call: () => messaging.contacts.get(contact.id) },
    { name: 'full stack on transport/undici, GET', call: () => onUndici.contacts.get(contact.id) },
  ];
};

/** One POST of a payment over loopback. */
export const posts = (baseUrl: string): readonly Subject[] => {
  const url = `${baseUrl}/v1/payments`;
  const billing = billingAt(baseUrl);
  const onUndici = billingAt(baseUrl, undiciTransport());
  const body = JSON.stringify(newPayment);
  const withType = { ...headers, 'content-type': 'application/json' };
  return [
    {
      name: 'fetch, POST',
      call: async () => (await fetch(url, { method: 'POST', headers: withType, body })).json(),
    },
    { name: 'ky, POST', call: () => ky.post(url, { headers, json: newPayment }).json() },
    { name: 'full stack, POST', call: () => billing.payments.create(newPayment) },
    { name: 'full stack on transport/undici, POST', call: () => onUndici.payments.create(newPayment) },
  ];
};

const headers = { accept: 'application/json', authorization: 'Bearer test-token', 'acme-version': '2.11' };

/** A limit that is counted like any other and never reached. */
const rateLimit = { limit: 20_000, perMs: 50 };

const messagingAt = (baseUrl: string, transport?: Transport) =>
  createMessagingClient({
    baseUrl,
    authenticate: bearer(() => 'test-token'),
    platform: 'Acme',
    version: '2.11',
    rateLimit,
    ...(transport && { transport }),
  });

const billingAt = (baseUrl: string, transport?: Transport) =>
  createBillingClient({
    baseUrl,
    authenticate: apiKey('X-Api-Key', () => 'test-key'),
    version: { path: 'v1' },
    payments: { below: 5000 },
    rateLimit,
    ...(transport && { transport }),
  });

const fromMemory = (text: string): Transport => {
  const answer = { status: 200, headers: new Map([['content-type', 'application/json']]), text };
  return async () => answer;
};
