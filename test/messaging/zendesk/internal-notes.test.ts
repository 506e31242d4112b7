import { describe, expect, test } from 'vitest';
import { createIntegration } from '../../../src/integration.ts';
import { conversationText } from '../../../src/messaging/index.ts';
import { connectCustomer, connectZendesk } from '../../support/connected-zendesk.ts';

type Connected = Awaited<ReturnType<typeof connectCustomer>>;

/** What customers can read, of all tickets. */
const publicWords = ({ account }: Pick<Connected, 'account'>): string =>
  account.tickets
    .flatMap(({ subject, comments }) => [subject, ...comments.filter((one) => one.public).map(({ body }) => body)])
    .join('\n');

const secret = 'The caller seems to lie about the warranty.';

describe('an internal note stays internal', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['as it is', {}],
    ['with public: true', { public: true }],
    ['with a comment of its own', { comment: { body: secret, public: true } }],
    ['with html_body', { html_body: secret }],
    ["in the customer's name", { adminId: 'customer' }],
  ])('%s', async (_, more) => {
    await using connected = await connectCustomer();
    const { messaging, ticketId, contactId, platform } = connected;
    const given = { body: secret, ...more, ...(more['adminId'] !== undefined && { adminId: contactId }) };

    await messaging.conversations.addNote(ticketId, given);
    await messaging.tickets.addNote(ticketId, given);

    expect(publicWords(connected)).not.toContain(secret);
    expect(platform.requests.map(({ body }) => body)).toEqual([
      { ticket: { comment: { html_body: secret, public: false } } },
      { ticket: { comment: { html_body: secret, public: false } } },
    ]);
  });

  test('on a ticket whose first comment was public, and after a reply', async () => {
    await using connected = await connectCustomer();
    const { messaging, ticketId, account } = connected;

    await messaging.conversations.reply(ticketId, { body: 'We are on it.' });
    await messaging.conversations.addNote(ticketId, { body: secret });
    await messaging.conversations.reply(ticketId, { body: 'Done.' });

    expect(account.tickets[0]?.comments.map(({ body, public: isPublic }) => [body, isPublic])).toEqual([
      ['It is cold.', true],
      ['We are on it.', true],
      [secret, false],
      ['Done.', true],
    ]);
  });

  test.each([
    ['a 429', [{ status: 429, retryAfter: 0 }], 1],
    ['two failures', [{ status: 503 }, { status: 500 }], 0],
    ['an answer that is lost', [{ executeThenDrop: true as const }], 1],
    ['a connection that hangs', [{ stall: 'headers' as const }], 0],
    ['a conflict', [{ status: 409 }], 1],
  ])('and single, after %s', async (_, faults, times) => {
    await using connected = await connectCustomer({ client: { attemptTimeoutMs: 200 } });
    const { messaging, ticketId, platform, account } = connected;
    platform.fault('messaging.conversations.addNote', faults);

    await messaging.conversations.addNote(ticketId, { body: secret }).catch(() => undefined);

    expect(publicWords(connected)).not.toContain(secret);
    expect(account.tickets[0]?.comments.filter(({ body }) => body === secret)).toHaveLength(times);
    for (const { body } of platform.requests)
      expect(body).toEqual({ ticket: { comment: { html_body: secret, public: false } } });
  });

  test.each(['comment', 'is_public'])('because a change of fields takes no %s', async (name) => {
    await using connected = await connectCustomer();
    const { messaging, ticketId, platform } = connected;

    await expect(
      messaging.conversations.update(ticketId, { status: 'open', [name]: { body: secret } }),
    ).rejects.toMatchObject({ code: 'invalid_argument', field: name });
    expect(platform.requests).toEqual([]);
  });
});

describe('a summary of a phone call is internal', () => {
  test('as the first words of a ticket, whose title says nothing of them', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId, account, platform } = connected;

    const { id } = await messaging.conversations.create({ contactId, body: secret });
    await messaging.conversations.reply(id, { body: 'We call back.' });

    expect(publicWords(connected)).not.toContain(secret);
    expect(account.tickets[1]).toMatchObject({
      subject: 'Phone call',
      requester_id: Number(contactId),
      comments: [
        { body: secret, public: false },
        { body: 'We call back.', public: true },
      ],
    });
    expect(platform.requests[0]?.body).toEqual({
      ticket: { subject: 'Phone call', requester_id: Number(contactId), comment: { html_body: secret, public: false } },
    });
  });

  test('whatever step writes it, and one time only', async () => {
    await using connected = await connectZendesk({ client: { attemptTimeoutMs: 300 } });
    const { clientOptions, account, platform } = connected;
    const group = account.addGroup({ name: 'Service' });
    const integration = createIntegration({ messaging: clientOptions });
    const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: '+14155550100' });
    platform.fault('messaging.contacts.search', [{ status: 503 }]);
    platform.fault('messaging.conversations.create', [{ executeThenDrop: true }, { status: 502, executed: true }]);
    platform.fault('messaging.conversations.addNote', [{ status: 429, retryAfter: 0 }]);
    platform.fault('messaging.conversations.tags.attach', [{ stall: 'headers' }]);

    const finished = await phoneCall.finish({
      summary: `Summary: ${secret}`,
      transcript: `Transcript: ${secret}`,
      note: `Note: ${secret}`,
      tagIds: ['call'],
      teamId: String(group.id),
    });

    expect(finished.steps.map(({ step, status }) => [step, status])).toEqual([
      ['contact', 'done'],
      ['conversation', 'done'],
      ['note', 'done'],
      ['tag:call', 'done'],
      ['route', 'done'],
      ['attributes', 'skipped'],
      ['task', 'skipped'],
    ]);
    await integration.close();
    expect(publicWords(connected)).toBe('Phone call');
    expect(account.tickets).toMatchObject([{ tags: ['call'], group_id: group.id }]);
    expect(account.tickets[0]?.comments).toHaveLength(2);
    expect(account.users.filter(({ role }) => role === 'end-user')).toMatchObject([{ phone: '+14155550100' }]);
  });

  test('and is no part of what a model reads', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId } = connected;
    const { id } = await messaging.conversations.create({ contactId, body: secret });
    await messaging.conversations.reply(id, { body: 'We call back.' });

    const conversation = await messaging.conversations.get(id);

    expect(conversationText(conversation!)).toMatch(/^\[.*\] Agent: We call back\.$/);
    expect(conversation?.notes).toMatchObject([{ body: secret, message_type: 'note' }]);
    expect(conversation).not.toHaveProperty('description');
  });
});
