import { describe, expect, test } from 'vitest';
import { zendesk, zendeskToken } from '../../../src/messaging/zendesk/index.ts';
import { connectCustomer, connectZendesk, linesTo } from '../../support/connected-zendesk.ts';

describe('a ticket', () => {
  test('is found, read, assigned, tagged, solved and opened again', async () => {
    await using connected = await connectCustomer();
    const { messaging, account, contactId, ticketId } = connected;
    const group = account.addGroup({ name: 'Service' });
    const { conversations } = messaging;

    const { data } = await conversations.listForContact(contactId);
    const read = await conversations.get(ticketId);
    await conversations.assignToTeam(ticketId, { teamId: String(group.id) });
    const tag = await conversations.tags.attach(ticketId, { tagId: 'vip' });
    await conversations.tags.attach(ticketId, { tagId: 'late' });
    await conversations.tags.detach(ticketId, { tagId: 'late' });
    const { data: tags } = await conversations.tags.list(ticketId);
    const solved = await conversations.close(ticketId, { body: 'Solved.' });
    const again = await conversations.reopen(ticketId);

    expect(data).toMatchObject([{ id: ticketId, title: 'Oven', state: 'new', open: true }]);
    expect(read?.parts).toMatchObject([{ message_type: 'comment', body: 'It is cold.', author: { type: 'user' } }]);
    expect(tag).toEqual({ id: 'vip', name: 'vip' });
    expect(tags).toEqual([{ id: 'vip', name: 'vip' }]);
    expect(solved).toMatchObject({ open: false, state: 'solved', team_assignee_id: String(group.id) });
    expect(again).toMatchObject({ open: true, state: 'open' });
    expect(linesTo(connected)[0]).toBe(
      `GET /api/v2/search.json?query=type:ticket requester:${contactId}&sort_by=created_at&sort_order=desc&per_page=100`,
    );
  });

  test('that is closed takes no more, and the error says why', async () => {
    await using connected = await connectCustomer();
    const { messaging, account, ticketId } = connected;
    account.changeTicket(Number(ticketId), { status: 'closed' });

    await expect(messaging.conversations.addNote(ticketId, { body: 'Rang.' })).rejects.toMatchObject({
      code: 'client_error',
      status: 422,
      codes: ['RecordInvalid', 'ClosedTicket'],
      message: expect.stringContaining('ClosedTicket (status)'),
    });
  });

  test('that is unknown is undefined', async () => {
    await using connected = await connectZendesk();
    expect(await connected.messaging.conversations.get('17')).toBeUndefined();
    expect(await connected.messaging.contacts.get('17')).toBeUndefined();
  });

  test('is made with a type, a form and fields', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId, account } = connected;
    const region = String(account.addField('tickets', 'region').id);

    const ticket = await messaging.tickets.create({
      ticketTypeId: 'incident',
      contactId,
      // As the tool create_ticket gives it.
      conversationId: connected.ticketId,
      title: 'The door is stuck',
      attributes: { [region]: 'north' },
    });
    await messaging.tickets.update(ticket.id, { stateId: 'pending' });

    expect(await messaging.tickets.get(ticket.id)).toMatchObject({
      title: 'The door is stuck',
      ticket_state: { id: 'pending' },
      ticket_type: { id: 'incident' },
      ticket_attributes: { [region]: 'north' },
      parts: [{ message_type: 'comment', body: 'The door is stuck' }],
    });
    expect(account.tickets).toHaveLength(2);
  });

  test('is made once under one key', async () => {
    await using connected = await connectCustomer();
    const { messaging, contactId, account, platform, another } = connected;
    platform.fault('messaging.conversations.create', [{ executeThenDrop: true }, { status: 503, executed: true }]);
    const call = { idempotencyKey: 'CA1:conversation' };

    const first = await messaging.conversations.create({ contactId, body: 'Called.' }, call);
    const second = await another().conversations.create({ contactId, body: 'Called.' }, call);

    expect(second.id).toBe(first.id);
    expect(account.tickets).toHaveLength(2);
    expect(platform.requests.map(({ replayed }) => replayed)).toEqual([false, true, true, true]);
  });

  test.each([
    ['too large', '99999999999999999'],
    ['a path', '../users/1'],
  ])('needs ids that are numbers, not %s', async (_, contactId) => {
    await using connected = await connectZendesk();

    await expect(connected.messaging.conversations.create({ contactId, body: 'x' })).rejects.toMatchObject({
      code: 'invalid_argument',
      field: 'contactId',
    });
    expect(connected.platform.requests).toEqual([]);
  });
});

test('articles of the help center are found, and drafts are not', async () => {
  await using connected = await connectZendesk();
  const { messaging, account } = connected;
  account.addArticle({ title: 'Reset your password', body: '<p>Press <b>Reset</b>.</p>' });
  account.addArticle({ title: 'Reset password, new', body: '', draft: true });

  const { data } = await messaging.articles.search({ phrase: 'password' });

  expect(data).toMatchObject([{ title: 'Reset your password', body: 'Press Reset.', state: 'published' }]);
  expect(await messaging.articles.get(data[0]!.id)).toMatchObject({ title: 'Reset your password' });
});

test("a caller's organization is read", async () => {
  await using connected = await connectZendesk();
  const { messaging, account } = connected;
  const { id } = account.addOrganization({ name: 'Northwind', organization_fields: { tier: 'gold' } });
  const user = account.addUser({ name: 'Ada', organization_id: id });

  const { data } = await messaging.companies.listForContact(String(user.id));

  expect(data).toMatchObject([{ id: String(id), name: 'Northwind', custom_attributes: { tier: 'gold' } }]);
});

test('groups, agents and tags are listed', async () => {
  await using connected = await connectCustomer();
  const { messaging, account, ticketId } = connected;
  const group = account.addGroup({ name: 'Service' });
  await messaging.conversations.tags.attach(ticketId, { tagId: 'vip' });

  expect((await messaging.teams.list()).data).toEqual([{ id: String(group.id), name: 'Service' }]);
  expect((await messaging.admins.list()).data).toMatchObject([{ name: 'Voice agent', role: 'admin' }]);
  expect(await messaging.tags.findByName('VIP')).toEqual({ id: 'vip', name: 'vip' });
  expect(await messaging.tags.create({ name: 'new' })).toEqual({ id: 'new', name: 'new' });
});

test('what Zendesk has no meaning for is refused, with what to use', async () => {
  await using connected = await connectCustomer();
  const { messaging, contactId, ticketId, platform } = connected;

  await expect(messaging.contacts.notes.create(contactId, { body: 'x' })).rejects.toThrow(
    'messaging.contacts.notes.create: operation is not one of Zendesk: use conversations.addNote',
  );
  await expect(messaging.conversations.snooze(ticketId, { until: 1_900_000_000 })).rejects.toMatchObject({
    code: 'invalid_argument',
  });
  await expect(messaging.contacts.merge({ fromId: '1', intoId: '2' })).rejects.toThrow('request');
  expect(platform.requests).toEqual([]);
});

describe('limits', () => {
  test('a 429 is waited for as long as it asks', async () => {
    await using connected = await connectCustomer();
    connected.platform.fault('messaging.admins.me', [{ status: 429, retryAfter: 0 }]);

    expect(await connected.messaging.admins.me()).toMatchObject({ name: 'Voice agent' });
  });

  test('a success that says none is left pauses the next call', async () => {
    await using connected = await connectCustomer({ client: { deadlineMs: 900 } });
    const { messaging, platform } = connected;
    platform.fault('messaging.admins.me', [{ headers: { 'x-rate-limit-remaining': '0', 'ratelimit-reset': '41' } }]);

    await messaging.admins.me();

    expect(messaging.status().rateLimit.pausedForMs).toBeGreaterThan(40_000);
  });
});

test.each([
  ['subdomain', () => zendesk({ subdomain: 'acme.evil.example/' })],
  ['requestsPerMinute', () => zendesk({ subdomain: 'acme', requestsPerMinute: 0 })],
  ['email', () => zendeskToken({ email: 'no address', token: () => 'x' })],
])('options that can not work are refused: %s', (field, make) => {
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_argument', field }));
});
