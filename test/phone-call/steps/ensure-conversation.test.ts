import { describe, expect, test } from 'vitest';
import { type PhoneCallOptions, startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { connectPlatform, keysOf, lastBodyOf } from '../../support/connected-platform.ts';

const phone = '+14155550100';
const options: PhoneCallOptions = {
  callId: 'CA1',
  direction: 'Inbound',
  phone,
  startedAt: '2026-03-01T04:30:00Z',
};
const create = 'messaging.conversations.create';

describe('the conversation of a phone call', () => {
  test('is started on first use, for the caller that the line names', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const phoneCall = startPhoneCall(clients, options);

    const first = await phoneCall.ensureConversation();
    const second = await phoneCall.ensureConversation();

    const [contact] = platform.messaging.contacts;
    expect(contact?.phone).toBe(phone);
    expect(platform.messaging.conversations.map(({ id }) => id)).toEqual([first.conversationId]);
    expect([first.created, second]).toEqual([true, { conversationId: first.conversationId, created: false }]);
    expect(lastBodyOf(platform, create)).toEqual({
      from: { type: 'contact', id: contact?.id },
      body: 'Inbound phone call',
    });
    expect(keysOf(platform, create)).toEqual(['CA1:conversation']);
  });

  test('is one, when two steps and the end of the phone call need it at once', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.fault(create, [{ latencyMs: 20 }]);
    const teamId = platform.messaging.addTeam({ name: 'Sales' }).id;
    const phoneCall = startPhoneCall(clients, options);

    const [one, other, , finished] = await Promise.all([
      phoneCall.ensureConversation(),
      phoneCall.turn().ensureConversation(),
      phoneCall.routeConversation({ teamId }),
      phoneCall.finish({ summary: 'Asked.' }),
    ]);

    expect(platform.messaging.conversations).toHaveLength(1);
    expect(platform.effects(create)).toBe(1);
    expect(other.conversationId).toBe(one.conversationId);
    expect(finished).toMatchObject({ complete: true, conversationId: one.conversationId });
  });

  test('gets summary and transcript as a note when it was started before them', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const phoneCall = startPhoneCall(clients, options);
    const { conversationId } = await phoneCall.ensureConversation();

    await phoneCall.recordCall({ note: 'Call back.' });
    await phoneCall.finish({ summary: 'Asked.', transcript: 'Hello.' });
    await phoneCall.finish({ summary: 'Asked.', transcript: 'Hello.' });

    expect(platform.messaging.conversations.map(({ id }) => id)).toEqual([conversationId]);
    const notes = platform.requests.filter(({ operation }) => operation === 'messaging.conversations.addNote');
    expect(notes.map(({ body }) => (body as { readonly body: string }).body)).toEqual([
      'Call back.',
      'Asked.\n\nHello.',
    ]);
  });

  test('can be one that was there before the phone call', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { id: contactId } = platform.messaging.addContact({ phone });
    const { id: conversationId } = await clients.messaging.conversations.create({ contactId, body: 'Chat.' });
    const phoneCall = startPhoneCall(clients, { ...options, contactId, conversationId });

    expect(await phoneCall.ensureConversation()).toEqual({ conversationId, created: false });
    const finished = await phoneCall.finish({ summary: 'Asked.' });

    expect(finished).toMatchObject({ complete: true, conversationId });
    expect(platform.messaging.conversations).toHaveLength(1);
    expect(lastBodyOf(platform, 'messaging.conversations.addNote')).toMatchObject({ body: 'Asked.' });
  });

  test('is the same one when its first answer was lost, and what was said goes into a note', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.fault(create, [{ executeThenDrop: true, times: 3 }]);
    const phoneCall = startPhoneCall(clients, options);

    await expect(phoneCall.ensureConversation()).rejects.toMatchObject({ outcome: 'unknown' });
    const finished = await phoneCall.finish({ summary: 'Asked.' });

    expect(finished).toMatchObject({ complete: true, conversationId: platform.messaging.conversations[0]?.id });
    expect(platform.messaging.conversations).toHaveLength(1);
    expect(lastBodyOf(platform, 'messaging.conversations.addNote')).toMatchObject({ body: 'Asked.' });
    expect(await phoneCall.ensureConversation()).toEqual({ conversationId: finished.conversationId, created: false });
  });

  test('is not started in the name of one of several contacts', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.messaging.addContact({ phone });
    platform.messaging.addContact({ phone });
    const phoneCall = startPhoneCall(clients, options);

    await expect(phoneCall.ensureConversation()).rejects.toMatchObject({
      code: 'invalid_argument',
      field: 'contactId',
    });
    await expect(startPhoneCall(clients, { ...options, phone: undefined }).ensureConversation()).rejects.toMatchObject({
      field: 'contactId',
      problem: 'is not known yet: identify the caller first',
    });
    expect(platform.messaging.conversations).toEqual([]);
  });
});
