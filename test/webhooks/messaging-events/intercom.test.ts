import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { createMessagingClient } from '../../../src/messaging/index.ts';
import { intercom, intercomSignature } from '../../../src/messaging/intercom/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { createFakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';
import { webhook } from '../../../src/webhooks/adapters/node.ts';
import { createWebhookReceiver, hmac, messagingEvents, sign } from '../../../src/webhooks/index.ts';
import { listening } from '../adapters/mounted.ts';

const secret = 'client-secret';

/** A workspace of Intercom whose events reach a receiver over real HTTP. */
const setUp = async () => {
  const handled: { readonly type: string; readonly id: string; readonly about: string }[] = [];
  const ignored: (string | undefined)[] = [];
  const receive = createWebhookReceiver({
    ...messagingEvents(
      ['conversation.created', 'conversation.replied', 'conversation.closed', 'contact.created', 'contact.updated'],
      { ownAdminIds: ['admin_1'] },
    ),
    authentication: [hmac({ scheme: intercomSignature, secrets: () => secret })],
    store: createMemoryIdempotencyStore(),
    on: {
      'conversation.created': ({ type, id, payload }) => void handled.push({ type, id, about: payload.topic }),
      'conversation.replied': ({ type, id, payload }) => void handled.push({ type, id, about: payload.topic }),
      'conversation.closed': ({ type, id, payload }) => void handled.push({ type, id, about: payload.topic }),
      'contact.created': ({ type, id, payload }) => void handled.push({ type, id, about: payload.contact.id }),
      'contact.updated': ({ type, id, payload }) => void handled.push({ type, id, about: payload.contact.id }),
    },
    onEvent: (event) => void (event.type === 'webhook-received' && event.reason && ignored.push(event.reason)),
  });
  const server = await listening(createServer(webhook(receive)));
  const platform = createFakePlatform({ messaging: 'intercom', webhooks: { url: server.url, secret } });
  const { messaging: baseUrl } = await platform.listen();
  const client = createMessagingClient({
    ...intercom(),
    baseUrl,
    authenticate: bearer(() => testCredentials.messaging),
    adminId: 'admin_1',
  });
  return {
    platform,
    client,
    handled,
    ignored,
    url: server.url,
    [Symbol.asyncDispose]: async () => {
      await platform.close();
      await server[Symbol.asyncDispose]();
    },
  };
};

test('what happens in the workspace arrives under the names of the interface document', async () => {
  await using workspace = await setUp();
  const { platform, client, handled, ignored } = workspace;
  const { id } = await client.contacts.create({ phone: '+14155550100' });
  await client.contacts.update(id, { custom_attributes: { escalation_flag: true } });
  const talk = await client.conversations.create({ contactId: id, body: 'Rang.' });
  await client.conversations.reply(talk.id, { body: 'On its way.' });
  platform.messaging.replyAsContact(talk.id, 'Thanks');
  await platform.events.idle();

  expect(handled).toEqual([
    { type: 'contact.created', id: 'notif_1', about: id },
    { type: 'contact.updated', id: 'notif_2', about: id },
    { type: 'conversation.created', id: 'notif_3', about: 'conversation.user.created' },
    { type: 'conversation.replied', id: 'notif_5', about: 'conversation.user.replied' },
  ]);
  // Otherwise the voice agent would answer itself.
  expect(ignored).toEqual(['caused_by_own_admin']);
  expect(platform.events.deliveries.map(({ topic, status }) => `${topic} ${status}`)).toEqual([
    'contact.lead.created 204',
    'contact.lead.updated 204',
    'conversation.user.created 204',
    'conversation.admin.replied 204',
    'conversation.user.replied 204',
  ]);
});

test('a delivery that comes again is handled once', async () => {
  await using workspace = await setUp();
  const { platform, client, handled } = workspace;
  await client.contacts.create({ phone: '+14155550100' });
  await platform.events.idle();
  await platform.events.redeliver('notif_1');
  expect(handled).toHaveLength(1);
  expect(platform.events.deliveries).toMatchObject([{ attempts: 2, status: 204 }]);
});

test('the address answers the HEAD that Intercom asks with when it is saved, and a ping', async () => {
  await using workspace = await setUp();
  expect((await fetch(workspace.url, { method: 'HEAD' })).status).toBe(200);
  const body = JSON.stringify({
    type: 'notification_event',
    topic: 'ping',
    id: 'notif_9',
    data: { item: { type: 'ping' } },
  });
  const headers = {
    'content-type': 'application/json',
    ...(await sign(body, { scheme: intercomSignature, secrets: () => secret })),
  };
  expect((await fetch(workspace.url, { method: 'POST', body, headers })).status).toBe(204);
});

test('what another app signed is refused', async () => {
  await using workspace = await setUp();
  const { platform, client, handled } = workspace;
  platform.events.sendTo({ url: workspace.url, secret: 'another-secret' });
  await client.contacts.create({ phone: '+14155550100' });
  await platform.events.idle();
  expect(platform.events.deliveries).toMatchObject([{ status: 401 }]);
  expect(handled).toEqual([]);
});
