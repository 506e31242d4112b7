/** A customer writes "call me", and the voice agent rings: `npm run example webhooks/outbound-call`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { bearer } from 'voice-agent-integrations/auth';
import { createMessagingClient } from 'voice-agent-integrations/messaging';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { createWebhookReceiver, hmac, messagingEvents } from 'voice-agent-integrations/webhooks';
import { webhook } from 'voice-agent-integrations/webhooks/node';
import { localUrl } from './support/local-url.ts';

const secret = 'shared-with-the-messaging-platform';
const platform = createFakePlatform();
const messaging = createMessagingClient({
  baseUrl: (await platform.listen()).messaging,
  authenticate: bearer(() => testCredentials.messaging),
  platform: 'Acme',
  version: '2.11',
  adminId: 'admin_1',
});

const receive = createWebhookReceiver({
  // What the agent writes itself is not a reason to call anyone.
  ...messagingEvents(['conversation.replied'], { ownAdminIds: ['admin_1'] }),
  authentication: [hmac({ secrets: () => secret })],
  on: {
    'conversation.replied': async ({ payload: { conversation, contactIds, actor } }, { signal }) => {
      const [contactId] = contactIds;
      const wantsCall = conversation.parts?.at(-1)?.body?.toLowerCase().includes('call me') ?? false;
      if (actor?.type === 'admin' || !wantsCall || contactId === undefined) return;
      const contact = await messaging.contacts.get(contactId, { signal });
      console.log(contact?.phone ? `Ringing ${contact.name} at ${contact.phone}.` : `${contactId} has no number.`);
    },
  },
  store: createMemoryIdempotencyStore(),
  onEvent: (event) => {
    if (event.type === 'webhook-received')
      console.log(`${event.event ?? 'an event'}: ${event.outcome} ${event.reason ?? ''}`);
  },
});

const server = createServer(webhook(receive)).listen(0, '127.0.0.1');
await once(server, 'listening');
platform.events.sendTo({ url: localUrl(server), secret });

platform.messaging.addContact({ id: 'ann', name: 'Ann', phone: '+14155550100' });
platform.messaging.addConversation({ id: 'talk', contact_id: 'ann', body: 'Hello' });
platform.messaging.replyAsContact('talk', 'Please call me.');
await messaging.conversations.reply('talk', { body: 'I have your message and will call.' });
await platform.events.idle();

await messaging.close();
await platform.close();
server.close();
server.closeAllConnections();
