import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InvalidArgumentError, RetriesExhaustedError } from '../../src/core/errors.ts';
import { type Conversation, conversationText, type MessagingClient } from '../../src/messaging/index.ts';
import { assertOn, type FakePlatform } from '../../src/dev/testing/index.ts';
import { type ConnectedIntercom, connectIntercom } from '../support/connected-intercom.ts';

let intercom: ConnectedIntercom;
let platform: FakePlatform;
let messaging: FakePlatform['messaging'];
let client: MessagingClient;

beforeEach(async () => {
  intercom = await connectIntercom();
  ({ platform, client } = intercom);
  ({ messaging } = platform);
});
afterEach(async () => {
  await client.close();
  await intercom[Symbol.asyncDispose]();
});

const talk = () => messaging.addConversation({ contact_id: messaging.addContact({ name: 'Ada' }).id });

describe('a contact’s conversations', () => {
  test('are listed, with the people in them', async () => {
    const { id, contact_id } = talk();
    talk();

    expect(await client.conversations.listForContact(contact_id)).toMatchObject({
      data: [{ id, state: 'open', contacts: [{ id: contact_id }] }],
      total: 1,
    });
    await expect(client.conversations.listForContact('')).rejects.toThrow(InvalidArgumentError);
  });

  test('are listed page after page, to a bound', async () => {
    const { contact_id } = talk();
    for (let index = 1; index < 520; index += 1) messaging.addConversation({ contact_id });
    const ids = messaging.conversations.map(({ id }) => id);

    const { data, total } = await client.conversations.listForContact(contact_id);

    expect(data.map(({ id }) => id)).toEqual(ids.slice(0, 500));
    expect(total).toBe(520);
    expect(platform.requests.map(({ body }) => body)).toMatchObject(
      [undefined, 'after_100', 'after_200', 'after_300', 'after_400'].map((starting_after) => ({
        pagination: { per_page: 100, ...(starting_after && { starting_after }) },
      })),
    );
  });

  test('are searched by conditions, one page or all of them', async () => {
    const { id, contact_id } = talk();
    const closed = messaging.addConversation({ contact_id, state: 'closed' });
    const theirs = { field: 'contact_ids', operator: '=', value: contact_id };

    const found = await client.conversations.search({ all: [theirs, { field: 'open', operator: '=', value: true }] });
    const ids = [];
    for await (const each of client.conversations.searchAll(theirs, { pageSize: 1 })) ids.push(each.id);

    expect(found.data.map((each) => each.id)).toEqual([id]);
    expect(ids).toEqual([id, closed.id]);
  });
});

describe('what is done to a conversation', () => {
  test('it goes to a person, to a team, and to no one', async () => {
    const { id } = talk();
    const admin = messaging.addAdmin({ name: 'Grace' });
    const team = messaging.addTeam({ name: 'Support' });
    const assignees = () => messaging.conversations.map((each) => [each.admin_assignee_id, each.team_assignee_id]);

    await client.conversations.assignToAdmin(id, { toAdminId: admin.id });
    await client.conversations.assignToTeam(id, { teamId: team.id });
    expect(assignees()).toEqual([[admin.id, team.id]]);

    await client.conversations.unassign(id);
    expect(assignees()).toEqual([[null, null]]);
  });

  test('it is snoozed, reopened, and closed with words that the customer gets', async () => {
    const { id } = talk();

    expect(await client.conversations.snooze(id, { until: 1_900_000_000 })).toMatchObject({
      state: 'snoozed',
      snoozed_until: 1_900_000_000,
    });
    expect(await client.conversations.reopen(id)).toMatchObject({ state: 'open' });
    expect(await client.conversations.close(id, { body: 'Thank you for your call.' })).toMatchObject({
      state: 'closed',
    });

    const { neverToldCustomer } = assertOn(platform);
    expect(() => neverToldCustomer('Thank you')).toThrow('No message that holds Thank you');
  });

  test('its title and attributes are set, again after an unknown end', async () => {
    const { id } = talk();
    platform.fault('messaging.conversations.update', [{ status: 503, executed: true }]);

    const updated = await client.conversations.update(id, {
      title: 'An invoice',
      custom_attributes: { call_outcome: 'solved' },
    });

    expect(updated).toMatchObject({ title: 'An invoice', custom_attributes: { call_outcome: 'solved' } });
    await expect(client.conversations.update(id, {})).rejects.toThrow(InvalidArgumentError);
    const wrong = { message_type: 'comment' as never };
    await expect(client.conversations.update(id, wrong)).rejects.toThrow('message_type must not be given');
  });

  test.each([
    ['assignToAdmin', (id: string) => client.conversations.assignToAdmin(id, { toAdminId: 'admin_1' })],
    ['unassign', (id: string) => client.conversations.unassign(id)],
    ['reopen', (id: string) => client.conversations.reopen(id)],
    ['snooze', (id: string) => client.conversations.snooze(id, { until: 1_900_000_000 })],
  ] as const)('%s is not sent again after an unknown end', async (name, act) => {
    const { id } = talk();
    platform.fault(`messaging.conversations.${name}`, [{ status: 503, executed: true }]);

    const error: unknown = await act(id).catch((error: unknown) => error);

    expect(error).toBeInstanceOf(RetriesExhaustedError);
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(platform.effects(`messaging.conversations.${name}`)).toBe(1);
  });
});

describe('a conversation as text', () => {
  const at = Date.UTC(2026, 10, 22, 10, 15) / 1000;
  const part = (message_type: string, body: string, author = 'admin', more: object = {}) => ({
    message_type,
    body,
    author: { type: author, id: '1' },
    created_at: at + 60,
    ...more,
  });
  const conversation: Conversation = {
    id: '1',
    created_at: at,
    source: { body: 'Where is my invoice?', author: { type: 'user', id: 'c' } },
    parts: [
      part('comment', 'On its way.\n'),
      part('note', 'Pays late, be careful.'),
      part('note_and_reopen', 'Pays never.'),
      part('assignment', 'You take this one.'),
      part('comment', 'Deleted', 'admin', { redacted: true }),
      part('comment', 'I can help.', 'bot'),
      part('comment', 'Thanks!', 'lead'),
      part('close', 'Bye.'),
      part('something_new', 'Secret?'),
    ],
  };
  const words = [
    '[2026-11-22 10:15] Customer: Where is my invoice?',
    '[2026-11-22 10:16] Agent: On its way.',
    '[2026-11-22 10:16] Bot: I can help.',
    '[2026-11-22 10:16] Customer: Thanks!',
    '[2026-11-22 10:16] Agent: Bye.',
  ];

  test('has what the customer can see, and nothing else', () => {
    expect(conversationText(conversation).split('\n')).toEqual(words);
  });

  test.each([
    ['America/Los_Angeles', '[2026-11-22 02:15]'],
    ['Asia/Kolkata', '[2026-11-22 15:45]'],
    ['Pacific/Kiritimati', '[2026-11-23 00:15]'],
    [undefined, '[2026-11-22 10:15]'],
  ])('has the times of %s', (timeZone, time) => {
    expect(conversationText(conversation, { timeZone }).slice(0, 18)).toBe(time);
  });

  test('has internal notes only if you ask for them', () => {
    expect(conversationText(conversation, { withInternalNotes: true }).split('\n')).toEqual([
      ...words.slice(0, 2),
      '[2026-11-22 10:16] Internal note: Pays late, be careful.',
      '[2026-11-22 10:16] Internal note: Pays never.',
      ...words.slice(2),
    ]);
  });

  test('has no markup of what the platform returns as HTML', async () => {
    const { id } = messaging.addConversation({
      contact_id: messaging.addContact({ name: 'Ada' }).id,
      body: '<p>Where is my <b>invoice</b> &amp; receipt?</p>',
      created_at: at,
    });
    await client.conversations.addNote(id, { body: 'Sounded tired.' });

    const read = await client.conversations.get(id);

    expect(read && conversationText(read)).toBe('[2026-11-22 10:15] Customer: Where is my invoice & receipt?');
    expect(read?.notes).toMatchObject([{ body: 'Sounded tired.' }]);
  });

  test('is empty when no one wrote anything', () => {
    expect(conversationText({ id: '1' })).toBe('');
  });
});
