import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ClientError, InvalidArgumentError, RetriesExhaustedError } from '../../src/core/errors.ts';
import type { MessagingClient } from '../../src/messaging/index.ts';
import type { FakePlatform } from '../../src/dev/testing/index.ts';
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

describe('articles', () => {
  test('a search finds published articles as plain text, and never a draft', async () => {
    messaging.addArticle({
      title: 'Stuck doors',
      body: '<h1>Push</h1><p>Push &amp; turn, see <a href="https://help.acme.example/7">this</a>.</p>',
      url: 'https://help.acme.example/8',
    });
    messaging.addArticle({ title: 'Stuck doors, not finished', state: 'draft' });

    const { data, total } = await client.articles.search({ phrase: 'stuck doors' });

    expect(data).toMatchObject([
      {
        title: 'Stuck doors',
        body: 'Push\nPush & turn, see this (https://help.acme.example/7).',
        url: 'https://help.acme.example/8',
      },
    ]);
    expect(total).toBe(1);
  });

  test('a search can be limited to one help center', async () => {
    messaging.addArticle({ title: 'Doors', help_center_id: '1' });
    messaging.addArticle({ title: 'Doors', help_center_id: '2' });

    expect((await client.articles.search({ phrase: 'doors', helpCenterId: '2' })).total).toBe(1);
  });

  test('an article is read by its id, and one that is not there is undefined', async () => {
    const { id } = messaging.addArticle({ title: 'Doors', body: '<p>Push.</p>' });

    expect(await client.articles.get(id)).toMatchObject({ id, title: 'Doors', body: 'Push.' });
    expect(await client.articles.get('nothing')).toBeUndefined();
  });

  test('a search without words is refused before it is sent', async () => {
    await expect(client.articles.search({ phrase: ' ' })).rejects.toThrow(InvalidArgumentError);
  });
});

describe('tickets', () => {
  const open = () => {
    const contact = messaging.addContact({ name: 'Ada', phone: '+14155550100' });
    const type = messaging.addTicketType({ name: 'Repair', attributes: ['floor'] });
    return { contactId: contact.id, ticketTypeId: type.id };
  };

  test('a ticket is created for a contact, found among theirs, and read with its people and state', async () => {
    const about = open();
    const { id: conversationId } = messaging.addConversation({ contact_id: about.contactId });

    const made = await client.tickets.create({
      ...about,
      title: 'A stuck door',
      description: 'Since Monday',
      attributes: { floor: 2 },
      conversationId,
    });

    expect(made).toMatchObject({
      title: 'A stuck door',
      description: 'Since Monday',
      ticket_attributes: { floor: 2 },
      ticket_state: { category: 'submitted', external_label: 'Submitted' },
      ticket_type: { name: 'Repair' },
      contacts: [{ id: about.contactId }],
    });
    expect(await client.tickets.listForContact(about.contactId)).toMatchObject({ data: [{ id: made.id }], total: 1 });
    expect(await client.tickets.get(made.id)).toMatchObject({ id: made.id, parts: [], notes: [] });
    expect(await client.tickets.get('nothing')).toBeUndefined();
  });

  test('a search joins conditions', async () => {
    const { contactId, ticketTypeId } = open();
    messaging.addTicket({ contact_id: contactId, ticket_type_id: ticketTypeId, open: false });
    const { id } = messaging.addTicket({ contact_id: contactId, ticket_type_id: ticketTypeId });

    const { data } = await client.tickets.search({
      all: [
        { field: 'contact_ids', operator: '=', value: contactId },
        { field: 'open', operator: '=', value: true },
      ],
    });

    expect(data.map((ticket) => ticket.id)).toEqual([id]);
  });

  test('a title may be given under the name that the platform has for it', async () => {
    const { contactId, ticketTypeId } = open();

    const ticket = await client.tickets.create({ contactId, ticketTypeId, attributes: { _default_title_: 'A door' } });

    expect(ticket.title).toBe('A door');
  });

  test('a search with two groups is refused, since one would be ignored', async () => {
    const both = { field: 'open', operator: '=', value: true };

    await expect(client.tickets.search({ all: [both], any: [both] })).rejects.toThrow(
      'messaging.tickets.search: query must be one of all, any and a field',
    );
  });

  test('state, fields and who works on it are changed, and the rest stays', async () => {
    const { contactId, ticketTypeId } = open();
    const { id } = messaging.addTicket({
      contact_id: contactId,
      ticket_type_id: ticketTypeId,
      attributes: { _default_title_: 'A stuck door' },
    });

    const changed = await client.tickets.update(id, {
      stateId: 'resolved',
      assigneeId: 'admin_1',
      attributes: { floor: 3 },
    });

    expect(changed).toMatchObject({
      title: 'A stuck door',
      ticket_state: { category: 'resolved' },
      admin_assignee_id: 'admin_1',
      ticket_attributes: { floor: 3 },
    });
    await expect(client.tickets.update(id, {})).rejects.toThrow(InvalidArgumentError);
  });

  test('a reply reaches the customer and a note does not: the method says which', async () => {
    const { contactId, ticketTypeId } = open();
    const { id } = messaging.addTicket({ contact_id: contactId, ticket_type_id: ticketTypeId });

    await client.tickets.reply(id, { body: 'The engineer comes tomorrow.' });
    await client.tickets.addNote(id, { body: 'Said <b>twice</b> that it hurts.' });

    expect(messaging.tickets[0]?.parts.map(({ type, body }) => [type, body])).toEqual([
      ['comment', 'The engineer comes tomorrow.'],
      ['note', 'Said &lt;b&gt;twice&lt;/b&gt; that it hurts.'],
    ]);
    const ticket = await client.tickets.get(id);
    expect(ticket?.notes?.map(({ body }) => body)).toEqual(['Said <b>twice</b> that it hurts.']);
  });

  test('nothing in a description is markup, and it is read as it was said', async () => {
    const { contactId, ticketTypeId } = open();
    const description = 'Says <b>twice</b> that 3 < 5 & <a href="https://x.example">this</a> is broken.';
    const { id } = await client.tickets.create({ contactId, ticketTypeId, title: 'A <b> door', description });
    const plain = 'Says < b>twice< /b> that 3 < 5 & < a href="https://x.example">this< /a> is broken.';
    expect(messaging.tickets[0]?.attributes).toMatchObject({ _default_description_: plain });
    expect((await client.tickets.get(id))?.description).toBe(plain);
    await client.tickets.update(id, { description: '<i>fixed</i>' });
    expect((await client.tickets.get(id))?.description).toBe('< i>fixed< /i>');
  });

  test('a conversation becomes a ticket of its contact', async () => {
    const { contactId, ticketTypeId } = open();
    const { id } = messaging.addConversation({ contact_id: contactId });

    const ticket = await client.conversations.convertToTicket(id, { ticketTypeId, title: 'A stuck door' });

    expect(ticket).toMatchObject({ title: 'A stuck door', contacts: [{ id: contactId }] });
    expect(messaging.tickets).toMatchObject([{ conversation_id: id }]);
  });

  test('a ticket that may have been created is not created again', async () => {
    const about = open();
    platform.fault('messaging.tickets.create', [{ status: 503, executed: true }]);

    const error: unknown = await client.tickets
      .create({ ...about, title: 'A stuck door' })
      .catch((error: unknown) => error);

    expect(error).toBeInstanceOf(RetriesExhaustedError);
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(messaging.tickets).toHaveLength(1);
  });

  test('kinds of tickets say which fields they need', async () => {
    const { ticketTypeId } = open();

    expect((await client.tickets.types.list()).data).toMatchObject([{ id: ticketTypeId, name: 'Repair' }]);
    expect((await client.tickets.types.get(ticketTypeId))?.ticket_type_attributes?.map(({ name }) => name)).toEqual([
      '_default_title_',
      '_default_description_',
      'floor',
    ]);
    expect((await client.tickets.states.list()).data.map(({ category }) => category)).toContain('resolved');
  });
});

describe('who is there', () => {
  test('the members of a team are listed, and whether they take conversations now', async () => {
    messaging.addAdmin({ id: '7', name: 'Grace', away_mode_enabled: true });
    messaging.addAdmin({ id: '8', name: 'Joan' });
    messaging.addAdmin({ id: '9', name: 'Mary' });
    const { id } = messaging.addTeam({ name: 'Support', admin_ids: ['7', '8'] });

    const { data } = await client.teams.listMembers(id);

    expect(data.map(({ name, away_mode_enabled }) => [name, away_mode_enabled])).toEqual([
      ['Grace', true],
      ['Joan', false],
    ]);
    expect(await client.teams.get(id)).toMatchObject({ admin_ids: ['7', '8'] });
    expect(await client.admins.get('7')).toMatchObject({ name: 'Grace', away_mode_enabled: true });
    await expect(client.teams.listMembers('nothing')).rejects.toThrow(ClientError);
  });

  const newYork = { time_zone_name: 'America/New_York', time_intervals: [{ start_minute: 540, end_minute: 1020 }] };
  const holiday = (more: { exception_date: string; recurring_annually?: boolean; from?: number }) => ({
    id: '1',
    name: null,
    exception_date: more.exception_date,
    exception_type: more.from === undefined ? ('closed' as const) : ('custom_hours' as const),
    time_intervals: more.from === undefined ? null : [{ start_minute: more.from, end_minute: more.from + 60 }],
    recurring_annually: more.recurring_annually ?? false,
  });

  // 1 June 2026 is a Monday; New York is four hours behind UTC.
  test.each([
    ['opens at 9 in the schedule’s own time zone', newYork, [], '2026-06-01T13:00:00Z', true],
    ['is closed a minute before', newYork, [], '2026-06-01T12:59:00Z', false],
    ['is closed from the minute at which it ends', newYork, [], '2026-06-01T21:00:00Z', false],
    ['is closed on a day without hours', newYork, [], '2026-06-02T14:00:00Z', false],
    ['follows the change of clocks', newYork, [], '2026-12-07T14:00:00Z', true],
    ['is closed on a holiday', newYork, [holiday({ exception_date: '2026-06-01' })], '2026-06-01T14:00:00Z', false],
    [
      'is closed on a holiday of every year',
      newYork,
      [holiday({ exception_date: '2020-06-01', recurring_annually: true })],
      '2026-06-01T14:00:00Z',
      false,
    ],
    ['is open in the year after', newYork, [holiday({ exception_date: '2025-06-01' })], '2026-06-01T14:00:00Z', true],
    [
      'has other hours on an exceptional day',
      newYork,
      [holiday({ exception_date: '2026-06-01', from: 1_200 })],
      '2026-06-02T00:30:00Z',
      true,
    ],
    ['never closes', { twenty_four_seven: true }, [], '2026-06-06T03:00:00Z', true],
    [
      'never closes but on a holiday',
      { twenty_four_seven: true },
      [holiday({ exception_date: '2026-06-06' })],
      '2026-06-06T03:00:00Z',
      false,
    ],
  ])('an office %s', async (_, hours, exceptions, at, expected) => {
    const { id } = messaging.addOfficeHours({ ...hours, exceptions });

    expect(await client.officeHours.isOpen(id, Date.parse(at))).toBe(expected);
  });

  test('schedules and their exceptions are listed', async () => {
    const { id } = messaging.addOfficeHours({ ...newYork, exceptions: [holiday({ exception_date: '2026-06-01' })] });

    expect((await client.officeHours.list()).data).toMatchObject([{ id, time_zone_name: 'America/New_York' }]);
    expect(await client.officeHours.get(id)).toMatchObject({ id });
    expect(await client.officeHours.get('nothing')).toBeUndefined();
    expect((await client.officeHours.listExceptions(id)).data).toMatchObject([{ exception_type: 'closed' }]);
  });
});
