import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makePlatform, nowSeconds, type Sent, send } from './contract-suite.ts';

const secret = 'shared';

/** A receiver on a real socket that keeps the raw bytes. */
const receive = async (status = 200) => {
  const received: {
    readonly body: string;
    readonly signature: string | undefined;
    readonly type: string | undefined;
  }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({
      body: Buffer.concat(chunks).toString('utf8'),
      signature: String(request.headers['x-signature']),
      type: request.headers['content-type'],
    });
    response.writeHead(status).end('thanks');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    topics: () => received.map(({ body }) => JSON.parse(body).topic),
    url: `http://127.0.0.1:${port}/events`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const messaging = (method: string, path: string, body: unknown): Sent => ({ api: 'messaging', method, path, body });

describe('the messaging events', () => {
  it.each<[string, Sent, readonly string[]]>([
    [
      'a conversation is created',
      messaging('POST', '/conversations', { from: { type: 'contact', id: 'ann' }, body: 'Hello' }),
      ['conversation.created'],
    ],
    [
      'a conversation is replied to',
      messaging('POST', '/conversations/talk/reply', {
        message_type: 'comment',
        type: 'admin',
        admin_id: 'admin_1',
        body: 'Hi',
      }),
      ['conversation.replied'],
    ],
    [
      'a conversation is closed',
      messaging('POST', '/conversations/talk/parts', { message_type: 'close', type: 'admin', admin_id: 'admin_1' }),
      ['conversation.closed'],
    ],
    ['a contact is created', messaging('POST', '/contacts', { phone: '+14155550122' }), ['contact.created']],
    ['a contact is updated', messaging('PUT', '/contacts/ann', { name: 'Ann' }), ['contact.updated']],
    [
      'a custom attribute of a contact changes',
      messaging('PUT', '/contacts/ann', { custom_attributes: { tier: 1 } }),
      ['custom_attribute.changed', 'contact.updated'],
    ],
    [
      'a custom attribute of a company changes',
      messaging('PUT', '/companies/acme', { custom_attributes: { health: 'at risk', note: null } }),
      ['custom_attribute.changed'],
    ],
    [
      'a note is added: none',
      messaging('POST', '/conversations/talk/parts', { message_type: 'note', admin_id: 'admin_1', body: 'Angry' }),
      [],
    ],
  ])('are sent when %s', async (_, request, topics) => {
    await using receiver = await receive();
    await using platform = makePlatform({ webhooks: { url: receiver.url, secret } });

    expect((await send(await platform.listen(), request)).status).toBe(200);
    await platform.events.idle();

    expect(receiver.topics()).toEqual(topics);
  });

  it('are signed over the bytes that are sent', async () => {
    await using receiver = await receive();
    await using platform = makePlatform({ webhooks: { url: receiver.url, secret } });

    await send(await platform.listen(), messaging('PUT', '/companies/acme', { custom_attributes: { health: 'süß' } }));
    await platform.events.idle();

    const [first] = receiver.received;
    const body = first?.body ?? '';
    expect(first).toEqual({
      body,
      type: 'application/json',
      signature: `sha256=${createHmac('sha256', secret).update(body, 'utf8').digest('hex')}`,
    });
    expect(JSON.parse(body)).toEqual({
      type: 'notification_event',
      id: 'event_1',
      topic: 'custom_attribute.changed',
      created_at: nowSeconds,
      data: {
        type: 'notification_event_data',
        item: { type: 'company', id: 'acme', attribute: 'health', before: 'good', value: 'süß' },
      },
    });
    expect(platform.events.deliveries).toEqual([
      { id: 'event_1', topic: 'custom_attribute.changed', body, attempts: 1, status: 200 },
    ]);
  });

  it('are sent when people in the workspace act, in order', async () => {
    await using receiver = await receive();
    await using platform = makePlatform();
    platform.events.sendTo({ url: receiver.url, secret });

    platform.messaging.replyAsContact('talk', 'Are you there?');
    platform.messaging.closeConversation('talk');
    await platform.events.idle();

    expect(receiver.topics()).toEqual(['conversation.replied', 'conversation.closed']);
    expect(platform.messaging.conversations[0]?.state).toBe('closed');
  });

  it('are not sent for what a test puts there', async () => {
    await using platform = makePlatform();

    expect(platform.events.deliveries).toEqual([]);
  });

  it('are only recorded while there is no receiver', async () => {
    await using platform = makePlatform();

    platform.messaging.closeConversation('talk');
    await platform.events.idle();

    expect(platform.events.deliveries).toMatchObject([
      { topic: 'conversation.closed', attempts: 0, status: undefined },
    ]);
  });

  it('show what the receiver answered, and can be sent again with the same id and bytes', async () => {
    await using receiver = await receive(500);
    await using platform = makePlatform({ webhooks: { url: receiver.url, secret } });
    platform.messaging.closeConversation('talk');

    await platform.events.redeliver('event_1');

    expect(platform.events.deliveries).toMatchObject([{ id: 'event_1', attempts: 2, status: 500 }]);
    expect(receiver.received[1]).toEqual(receiver.received[0]);
    await expect(platform.events.redeliver('event_9')).rejects.toThrow('There is no event event_9');
  });

  it('do not stop at a receiver that is not there', async () => {
    const receiver = await receive();
    const { url } = receiver;
    await receiver[Symbol.asyncDispose]();
    await using platform = makePlatform({ webhooks: { url, secret } });

    platform.messaging.closeConversation('talk');
    await platform.events.idle();

    expect(platform.events.deliveries).toMatchObject([{ attempts: 1, status: undefined }]);
  });

  it('are not made again for a repeated idempotency key', async () => {
    await using platform = makePlatform();
    const baseUrls = await platform.listen();
    const create = {
      ...messaging('POST', '/contacts', { phone: '+14155550122' }),
      headers: { 'idempotency-key': 'key_1' },
    };

    await send(baseUrls, create);
    await send(baseUrls, create);

    expect(platform.events.deliveries.map(({ topic }) => topic)).toEqual(['contact.created']);
  });
});
