import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { hubSignature, xSignature, type SignatureScheme } from '../../../src/signature/scheme.ts';
import { signBytes } from '../../../src/signature/sign.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { createFakePlatform } from '../../../src/dev/testing/platform.ts';
import { testCredentials } from '../../../src/dev/testing/platform-options.ts';
import { webhook } from '../../../src/webhooks/adapters/node.ts';
import { hmac } from '../../../src/webhooks/authentication/hmac.ts';
import type { MessagingEventName } from '../../../src/webhooks/messaging-events/events.ts';
import { messagingEvents } from '../../../src/webhooks/messaging-events/messaging-events.ts';
import { createWebhookReceiver } from '../../../src/webhooks/receiver.ts';
import { listening } from '../adapters/mounted.ts';
import { seen } from '../receiver-parts.ts';

const secret = 'client-secret';
const names: readonly MessagingEventName[] = [
  'conversation.created',
  'conversation.replied',
  'conversation.closed',
  'contact.created',
  'contact.updated',
  'custom_attribute.changed',
  'conversation.assigned',
  'contact.merged',
  'contact.tagged',
  'contact.untagged',
  'ticket.created',
  'ticket.replied',
  'ticket.assigned',
  'ticket.state_changed',
  'ticket.closed',
];

interface Handled {
  readonly type: string;
  readonly id: string;
  readonly payload: unknown;
}

/** A receiver of all events. */
const makeReceiver = (scheme: SignatureScheme, ownAdminIds: readonly string[] = []) => {
  const handled: Handled[] = [];
  const told: (string | undefined)[] = [];
  const note = ({ type, id, payload }: Handled) => {
    handled.push({ type, id, payload });
  };
  const receive = createWebhookReceiver({
    ...messagingEvents(names, { ownAdminIds }),
    authentication: [hmac({ scheme, secrets: () => secret })],
    store: createMemoryIdempotencyStore(),
    // Every name has the same handler.
    on: Object.fromEntries(names.map((name) => [name, note])) as Record<MessagingEventName, typeof note>,
    onEvent: (event) => {
      if (event.type === 'webhook-received') told.push(event.reason);
    },
  });
  return { receive, handled, told };
};

const envelopeOf = (body: unknown) =>
  messagingEvents(names).envelope(body, { url: new URL('https://hook.test/'), headers: new Headers() });

const notification = (topic: string, item: object, more: object = {}) => {
  const body = JSON.stringify({
    type: 'notification_event',
    id: 'notif_1',
    app_id: 'app',
    topic,
    created_at: Math.floor(Date.now() / 1000),
    delivery_attempts: 1,
    data: { type: 'notification_event_data', item },
    ...more,
  });
  const headers = {
    'content-type': 'application/json',
    ...signBytes(body, { scheme: hubSignature, secrets: [secret] }),
  };
  return new Request('https://hook.test/messaging', { method: 'POST', body, headers });
};

const conversation = (author: object, parts: readonly object[] = []) => ({
  type: 'conversation',
  id: 'conv_1',
  state: 'open',
  source: { author },
  contacts: { type: 'contact.list', contacts: [{ type: 'contact', id: 'contact_1' }] },
  conversation_parts: { type: 'conversation_part.list', conversation_parts: parts },
});
const ticket = (parts: readonly object[] = []) => ({
  type: 'ticket',
  id: '7',
  ticket_attributes: { _default_title_: 'A stuck door' },
  contacts: { type: 'contact.list', contacts: [{ type: 'contact', id: 'contact_1' }] },
  ticket_parts: { type: 'ticket_part.list', ticket_parts: parts },
});
const vip = { type: 'tag', id: '9', name: 'VIP' };
const tagging = { type: 'contact_tag', contact: { type: 'contact', id: 'contact_1' }, tag: vip };
const ann = { type: 'user', id: 'contact_1' };
const agent = { type: 'admin', id: 814860 };

describe('the real platform’s topics', () => {
  it.each<[string, object, string, object]>([
    [
      'conversation.user.created',
      conversation(ann),
      'conversation.created',
      { contactIds: ['contact_1'], actor: { type: 'user', id: 'contact_1' } },
    ],
    [
      'conversation.admin.single.created',
      conversation(agent),
      'conversation.created',
      { actor: { type: 'admin', id: '814860' } },
    ],
    [
      'conversation.user.replied',
      conversation(agent, [{ id: 1, author: ann }]),
      'conversation.replied',
      { actor: ann },
    ],
    [
      'conversation.admin.replied',
      conversation(ann, [{ author: agent }]),
      'conversation.replied',
      { actor: { type: 'admin', id: '814860' } },
    ],
    [
      'conversation.operator.replied',
      conversation(ann, [{ author: { type: 'bot', id: 'b' } }]),
      'conversation.replied',
      { actor: { type: 'bot', id: 'b' } },
    ],
    [
      'conversation.admin.closed',
      conversation(ann, [{ admin_id: 'admin_7' }]),
      'conversation.closed',
      { actor: { type: 'admin', id: 'admin_7' } },
    ],
    [
      'contact.user.created',
      { id: 'contact_1', phone: '+14155550100' },
      'contact.created',
      { contact: { id: 'contact_1', phone: '+14155550100' } },
    ],
    ['contact.lead.created', { id: 'contact_1' }, 'contact.created', { contact: { id: 'contact_1' } }],
    ['contact.user.updated', { id: 'contact_1' }, 'contact.updated', {}],
    ['contact.lead.updated', { id: 'contact_1' }, 'contact.updated', {}],
    ['contact.email.updated', { id: 'contact_1' }, 'contact.updated', {}],
    [
      'conversation.admin.assigned',
      conversation(ann, [{ author: agent, assigned_to: { type: 'team', id: 'team_1' } }]),
      'conversation.assigned',
      { actor: { type: 'admin', id: '814860' } },
    ],
    [
      'conversation.admin.open.assigned',
      conversation(ann, [{ author: agent, assigned_to: { type: 'team', id: 'team_1' } }]),
      'conversation.assigned',
      { actor: { type: 'admin', id: '814860' } },
    ],
    [
      'contact.merged',
      { id: 'contact_1', merged_from: 'contact_2' },
      'contact.merged',
      { contact: { id: 'contact_1', merged_from: 'contact_2' } },
    ],
    ['contact.lead.merged', { id: 'contact_1' }, 'contact.merged', { contact: { id: 'contact_1' } }],
    ['contact.user.tag.created', tagging, 'contact.tagged', { contact: { id: 'contact_1' }, tag: vip }],
    ['contact.lead.tag.deleted', tagging, 'contact.untagged', { contact: { id: 'contact_1' }, tag: vip }],
    [
      'ticket.created',
      ticket(),
      'ticket.created',
      { ticket: { id: '7', title: 'A stuck door' }, contactIds: ['contact_1'] },
    ],
    ['ticket.contact.replied', ticket([{ author: ann }]), 'ticket.replied', { actor: ann }],
    [
      'ticket.admin.replied',
      { ticket: { id: '7' }, ticket_part: { id: 12, part_type: 'note', body: '<p>Ask Ann</p>', author: agent } },
      'ticket.replied',
      {
        ticket: {
          id: '7',
          parts: [{ id: '12', message_type: 'note', body: 'Ask Ann', admin_id: '814860' }],
          notes: [{ id: '12', message_type: 'note', body: 'Ask Ann' }],
        },
        actor: { type: 'admin', id: '814860' },
      },
    ],
    ['ticket.admin.assigned', ticket(), 'ticket.assigned', {}],
    ['ticket.team.assigned', ticket(), 'ticket.assigned', {}],
    ['ticket.state.updated', ticket(), 'ticket.state_changed', {}],
    ['ticket.closed', ticket(), 'ticket.closed', {}],
  ])('are handled under the package’s names: %s', async (topic, item, type, payload) => {
    const { receive, handled } = makeReceiver(hubSignature);

    expect((await receive(notification(topic, item))).status).toBe(204);
    expect(handled).toMatchObject([{ type, id: 'notif_1', payload: { topic, ...payload } }]);
  });

  it.each(['ping', 'conversation.admin.noted', 'constructor'])(
    'that the spec does not name are acknowledged: %s',
    async (topic) => {
      const { receive, handled, told } = makeReceiver(hubSignature);

      expect((await receive(notification(topic, {}))).status).toBe(204);
      expect([handled, told]).toEqual([[], ['topic_not_wanted']]);
    },
  );

  it('are handled once, however often they are delivered', async () => {
    const { receive, handled } = makeReceiver(hubSignature);
    const first = notification('contact.user.created', { id: 'contact_1' });
    const second = notification('contact.user.created', { id: 'contact_1' }, { delivery_attempts: 2 });

    expect([(await receive(first)).status, (await receive(second)).status]).toEqual([204, 204]);
    expect(handled.length).toBe(1);
  });

  it('are dropped when our own admin caused them', async () => {
    const { receive, handled, told } = makeReceiver(hubSignature, ['814860']);

    await receive(notification('conversation.admin.replied', conversation(ann, [{ author: agent }])));
    await receive(
      notification('conversation.admin.replied', conversation(ann, [{ author: { type: 'admin', id: '2' } }]), {
        id: 'n2',
      }),
    );
    await receive(
      notification('conversation.user.replied', conversation(agent, [{ author: { type: 'user', id: '814860' } }]), {
        id: 'n3',
      }),
    );

    expect(handled.map(({ id }) => id)).toEqual(['n2', 'n3']);
    expect(told).toEqual(['caused_by_own_admin', undefined, undefined]);
  });

  it.each([
    ['no item', 'contact.user.created', undefined, 'data.item'],
    ['an item without id', 'conversation.user.created', { state: 'open' }, 'data.item.id'],
    [
      'an attribute without name',
      'custom_attribute.changed',
      { type: 'contact', id: 'contact_1' },
      'data.item.attribute',
    ],
  ])('are refused with %s', async (_, topic, item, field) => {
    const { receive, handled } = makeReceiver(hubSignature, ['814860']);

    const answer = await receive(notification(topic, item ?? {}, item ? {} : { data: null }));

    expect(await seen(answer)).toEqual({ status: 422, body: { error: 'invalid_event', field } });
    expect(handled).toEqual([]);
  });

  it('need an envelope', async () => {
    const { receive } = makeReceiver(hubSignature);

    expect((await receive(notification('', {}, { topic: 7 }))).status).toBe(422);
  });

  it.each([[null], [{ topic: 7 }]])('are not told by %j', (body) => {
    expect(envelopeOf(body)).toBeUndefined();
  });

  it.each([
    [
      { id: 'notif_1', created_at: 1_790_000_000 },
      { id: 'notif_1', occurredAt: 1_790_000_000_000 },
    ],
    [{ id: '' }, { id: undefined, occurredAt: undefined }],
    [{ id: 7 }, { id: undefined, occurredAt: undefined }],
  ])('have the id and the time of %j', (fields, told) => {
    const item = { id: 'contact_1' };

    expect(envelopeOf({ topic: 'contact.user.created', data: { item }, ...fields })).toStrictEqual({
      type: 'contact.created',
      ...told,
      payload: { topic: 'contact.user.created', item },
    });
  });

  it.each([[undefined], [null], [{}]])('have no item in %j', (data) => {
    expect(envelopeOf({ topic: 'contact.user.created', data })).toMatchObject({ payload: { item: undefined } });
  });
});

describe('the fake platform', () => {
  it('sends its six events to a receiver, signed, and again with the same id', async () => {
    const { receive, handled } = makeReceiver(xSignature);
    await using server = await listening(createServer(webhook(receive)));
    await using platform = createFakePlatform({ webhooks: { url: `${server.url}/hook/messaging`, secret } });
    platform.messaging.addContact({ id: 'ann', phone: '+14155550100' });
    platform.messaging.addConversation({ id: 'talk', contact_id: 'ann', body: 'Hello' });
    const { messaging } = await platform.listen();
    const headers = {
      authorization: `Bearer ${testCredentials.messaging}`,
      'acme-version': '2.11',
      'content-type': 'application/json',
    };
    const send = (method: string, path: string, body: object) =>
      fetch(`${messaging}${path}`, { method, headers, body: JSON.stringify(body) });

    await send('POST', '/contacts', { phone: '+14155550122' });
    await send('PUT', '/contacts/ann', { custom_attributes: { tier: 'gold' } });
    await send('POST', '/conversations', { from: { type: 'contact', id: 'ann' }, body: 'Call me' });
    platform.messaging.replyAsContact('talk', 'Are you there?');
    platform.messaging.closeConversation('talk');
    await platform.events.idle();
    await platform.events.redeliver('event_1');

    expect(platform.events.deliveries.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204, 204]);
    expect(handled.map(({ type, id }) => [type, id])).toEqual([
      ['contact.created', 'event_1'],
      ['custom_attribute.changed', 'event_2'],
      ['contact.updated', 'event_3'],
      ['conversation.created', 'event_4'],
      ['conversation.replied', 'event_5'],
      ['conversation.closed', 'event_6'],
    ]);
    expect(handled[1]?.payload).toEqual({
      topic: 'custom_attribute.changed',
      record: { type: 'contact', id: 'ann' },
      attribute: 'tier',
      before: null,
      value: 'gold',
    });
    expect(handled[4]?.payload).toMatchObject({
      conversation: { id: 'talk' },
      contactIds: ['ann'],
      actor: { type: 'contact', id: 'ann' },
    });
  });
});
