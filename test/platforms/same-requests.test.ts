import { IntercomClient } from 'intercom-client';
import { expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { createMessagingClient, type MessagingClient } from '../../src/messaging/index.ts';
import { intercom } from '../../src/messaging/intercom/index.ts';
import { startRecordingServer } from '../support/recording-server.ts';

/** The same thing, said to both clients. */
interface Pair {
  readonly ours: (client: MessagingClient) => Promise<unknown>;
  readonly theirs: (client: IntercomClient) => Promise<unknown>;
}

const query = { field: 'contact_ids', operator: '=', value: 'c1' } as const;
const byAdmin = { type: 'admin', admin_id: '7' } as const;

const pairs: Readonly<Record<string, Pair>> = {
  'articles.get': {
    ours: ({ articles }) => articles.get('12'),
    theirs: ({ articles }) => articles.find({ article_id: 12 }),
  },
  'articles.search': {
    ours: ({ articles }) => articles.search({ phrase: 'stuck door', helpCenterId: '3' }),
    theirs: ({ articles }) => articles.search({ phrase: 'stuck door', state: 'published', help_center_id: 3 }),
  },
  'tickets.get': {
    ours: ({ tickets }) => tickets.get('4'),
    theirs: ({ tickets }) => tickets.get({ ticket_id: '4' }),
  },
  'tickets.create': {
    // The types of intercom-client have no fields of tickets.
    ours: ({ tickets }) => tickets.create({ ticketTypeId: '9', contactId: 'c1', teamAssigneeId: '3' }),
    theirs: ({ tickets }) =>
      tickets.create({ ticket_type_id: '9', contacts: [{ id: 'c1' }], assignment: { team_assignee_id: '3' } }),
  },
  'tickets.update': {
    ours: ({ tickets }) => tickets.update('4', { stateId: '2', open: false, assigneeId: '7' }),
    theirs: ({ tickets }) => tickets.update({ ticket_id: '4', ticket_state_id: '2', open: false, assignee_id: '7' }),
  },
  'tickets.search': {
    ours: ({ tickets }) => tickets.search(query),
    theirs: ({ tickets }) => tickets.search({ query }),
  },
  'tickets.reply': {
    ours: ({ tickets }) => tickets.reply('4', { body: 'Done.' }),
    theirs: ({ tickets }) =>
      tickets.reply({ ticket_id: '4', body: { ...byAdmin, message_type: 'comment', body: 'Done.' } }),
  },
  'tickets.addNote': {
    ours: ({ tickets }) => tickets.addNote('4', { body: 'Rang twice.' }),
    theirs: ({ tickets }) =>
      tickets.reply({ ticket_id: '4', body: { ...byAdmin, message_type: 'note', body: 'Rang twice.' } }),
  },
  'tickets.types.list': {
    ours: ({ tickets }) => tickets.types.list(),
    theirs: ({ ticketTypes }) => ticketTypes.list(),
  },
  'tickets.types.get': {
    ours: ({ tickets }) => tickets.types.get('9'),
    theirs: ({ ticketTypes }) => ticketTypes.get({ ticket_type_id: '9' }),
  },
  'tickets.states.list': {
    ours: ({ tickets }) => tickets.states.list(),
    theirs: ({ ticketStates }) => ticketStates.listTicketStates(),
  },
  'conversations.search': {
    ours: ({ conversations }) => conversations.search(query),
    theirs: ({ conversations }) => conversations.search({ query }),
  },
  'conversations.update': {
    ours: ({ conversations }) => conversations.update('5', { custom_attributes: { outcome: 'solved' } }),
    theirs: ({ conversations }) =>
      conversations.update({ conversation_id: '5', custom_attributes: { outcome: 'solved' } }),
  },
  'conversations.assignToAdmin': {
    ours: ({ conversations }) => conversations.assignToAdmin('5', { toAdminId: '8' }),
    theirs: ({ conversations }) =>
      conversations.manage({
        conversation_id: '5',
        body: { ...byAdmin, message_type: 'assignment', assignee_id: '8' },
      }),
  },
  'conversations.reopen': {
    ours: ({ conversations }) => conversations.reopen('5'),
    theirs: ({ conversations }) =>
      conversations.manage({ conversation_id: '5', body: { message_type: 'open', admin_id: '7' } }),
  },
  'conversations.snooze': {
    ours: ({ conversations }) => conversations.snooze('5', { until: 1_900_000_000 }),
    theirs: ({ conversations }) =>
      conversations.manage({
        conversation_id: '5',
        body: { message_type: 'snoozed', admin_id: '7', snoozed_until: 1_900_000_000 },
      }),
  },
  'conversations.convertToTicket': {
    ours: ({ conversations }) => conversations.convertToTicket('5', { ticketTypeId: '9', title: 'Door' }),
    theirs: ({ conversations }) =>
      conversations.convertToTicket({
        conversation_id: 5,
        ticket_type_id: '9',
        attributes: { _default_title_: 'Door' },
      }),
  },
  'admins.get': {
    ours: ({ admins }) => admins.get('7'),
    theirs: ({ admins }) => admins.find({ admin_id: 7 }),
  },
  'admins.setAway': {
    ours: ({ admins }) => admins.setAway('7', { away: true, reassign: true }),
    theirs: ({ admins }) => admins.away({ admin_id: 7, away_mode_enabled: true, away_mode_reassign: true }),
  },
  'teams.get': { ours: ({ teams }) => teams.get('3'), theirs: ({ teams }) => teams.find({ team_id: '3' }) },
  'tags.list': { ours: ({ tags }) => tags.list(), theirs: ({ tags }) => tags.list() },
  'tags.create': {
    ours: ({ tags }) => tags.create({ name: 'VIP' }),
    theirs: ({ tags }) => tags.create({ name: 'VIP' }),
  },
  'companies.create': {
    ours: ({ companies }) => companies.create({ company_id: 'acme-7', name: 'Acme' }),
    theirs: ({ companies }) => companies.createOrUpdate({ company_id: 'acme-7', name: 'Acme' }),
  },
  'companies.find': {
    ours: ({ companies }) => companies.find({ companyId: 'acme-7' }),
    theirs: ({ companies }) => companies.retrieve({ company_id: 'acme-7' }),
  },
  'companies.attach': {
    ours: ({ companies }) => companies.attach('c1', { companyId: '6' }),
    theirs: ({ companies }) => companies.attachContact({ contact_id: 'c1', id: '6' }),
  },
  'companies.detach': {
    ours: ({ companies }) => companies.detach('c1', { companyId: '6' }),
    theirs: ({ companies }) => companies.detachContact({ contact_id: 'c1', company_id: '6' }),
  },
  'contacts.get': {
    ours: ({ contacts }) => contacts.get('c1'),
    theirs: ({ contacts }) => contacts.find({ contact_id: 'c1' }),
  },
  'contacts.create': {
    ours: ({ contacts }) =>
      contacts.create({ email: 'ada@example.com', name: 'Ada', custom_attributes: { vip: true } }),
    theirs: ({ contacts }) =>
      contacts.create({ email: 'ada@example.com', name: 'Ada', custom_attributes: { vip: true } } as never),
  },
  'contacts.update': {
    ours: ({ contacts }) => contacts.update('c1', { name: 'Ada', unsubscribed_from_emails: true }),
    theirs: ({ contacts }) => contacts.update({ contact_id: 'c1', name: 'Ada', unsubscribed_from_emails: true }),
  },
  'contacts.search': {
    ours: ({ contacts }) =>
      contacts.search({
        any: [
          { field: 'email', operator: '=', value: 'a@b.example' },
          { field: 'role', operator: 'IN', value: ['lead'] },
        ],
      }),
    theirs: ({ contacts }) =>
      contacts.search({
        query: {
          operator: 'OR',
          value: [
            { field: 'email', operator: '=', value: 'a@b.example' },
            { field: 'role', operator: 'IN', value: ['lead'] as never },
          ],
        },
      }),
  },
  'contacts.tags.list': {
    ours: ({ contacts }) => contacts.tags.list('c1'),
    theirs: ({ contacts }) => contacts.listAttachedTags({ contact_id: 'c1' }),
  },
  'contacts.tags.attach': {
    ours: ({ contacts }) => contacts.tags.attach('c1', { tagId: '5' }),
    theirs: ({ tags }) => tags.tagContact({ contact_id: 'c1', id: '5' }),
  },
  'contacts.tags.detach': {
    ours: ({ contacts }) => contacts.tags.detach('c1', { tagId: '5' }),
    theirs: ({ tags }) => tags.untagContact({ contact_id: 'c1', tag_id: '5' }),
  },
  'conversations.get': {
    ours: ({ conversations }) => conversations.get('5'),
    theirs: ({ conversations }) => conversations.find({ conversation_id: '5', display_as: 'plaintext' }),
  },
  'conversations.reply': {
    ours: ({ conversations }) => conversations.reply('5', { body: 'Done.' }),
    theirs: ({ conversations }) =>
      conversations.reply({ conversation_id: '5', body: { ...byAdmin, message_type: 'comment', body: 'Done.' } }),
  },
  'conversations.addNote': {
    ours: ({ conversations }) => conversations.addNote('5', { body: 'Rang twice.' }),
    theirs: ({ conversations }) =>
      conversations.reply({ conversation_id: '5', body: { ...byAdmin, message_type: 'note', body: 'Rang twice.' } }),
  },
  'conversations.assignToTeam': {
    ours: ({ conversations }) => conversations.assignToTeam('5', { teamId: '3' }),
    theirs: ({ conversations }) =>
      conversations.manage({
        conversation_id: '5',
        body: { type: 'team', admin_id: '7', message_type: 'assignment', assignee_id: '3' },
      }),
  },
  'conversations.close': {
    ours: ({ conversations }) => conversations.close('5', { body: 'Bye.' }),
    theirs: ({ conversations }) =>
      conversations.manage({ conversation_id: '5', body: { ...byAdmin, message_type: 'close', body: 'Bye.' } }),
  },
  'conversations.tags.attach': {
    ours: ({ conversations }) => conversations.tags.attach('5', { tagId: '6' }),
    theirs: ({ tags }) => tags.tagConversation({ conversation_id: '5', id: '6', admin_id: '7' }),
  },
  'conversations.tags.detach': {
    ours: ({ conversations }) => conversations.tags.detach('5', { tagId: '6' }),
    theirs: ({ tags }) => tags.untagConversation({ conversation_id: '5', tag_id: '6', admin_id: '7' }),
  },
  'admins.list': { ours: ({ admins }) => admins.list(), theirs: ({ admins }) => admins.list() },
  'teams.list': { ours: ({ teams }) => teams.list(), theirs: ({ teams }) => teams.list() },
  'contacts.merge': {
    ours: ({ contacts }) => contacts.merge({ fromId: 'lead', intoId: 'user' }),
    theirs: ({ contacts }) => contacts.mergeLeadInUser({ from: 'lead', into: 'user' }),
  },
  'contacts.archive': {
    ours: ({ contacts }) => contacts.archive('c1'),
    theirs: ({ contacts }) => contacts.archive({ contact_id: 'c1' }),
  },
  'contacts.unarchive': {
    ours: ({ contacts }) => contacts.unarchive('c1'),
    theirs: ({ contacts }) => contacts.unarchive({ contact_id: 'c1' }),
  },
  'contacts.block': {
    ours: ({ contacts }) => contacts.block('c1'),
    theirs: ({ contacts }) => contacts.blockContact({ contact_id: 'c1' }),
  },
  'contacts.delete': {
    ours: ({ contacts }) => contacts.delete('c1'),
    theirs: ({ contacts }) => contacts.delete({ contact_id: 'c1' }),
  },
  'contacts.notes.create': {
    ours: ({ contacts }) => contacts.notes.create('c1', { body: 'Rang twice.' }),
    theirs: ({ notes }) => notes.create({ contact_id: 'c1', body: 'Rang twice.', admin_id: '7' }),
  },
  'contacts.subscriptions.attach': {
    ours: ({ contacts }) => contacts.subscriptions.attach('c1', { subscriptionTypeId: '8', consent: 'opt_out' }),
    theirs: ({ contacts }) => contacts.attachSubscription({ contact_id: 'c1', id: '8', consent_type: 'opt_out' }),
  },
  'contacts.subscriptions.detach': {
    ours: ({ contacts }) => contacts.subscriptions.detach('c1', { subscriptionTypeId: '8' }),
    theirs: ({ contacts }) => contacts.detachSubscription({ contact_id: 'c1', subscription_id: '8' }),
  },
  'subscriptionTypes.list': {
    ours: ({ subscriptionTypes: { list } }) => list(),
    theirs: ({ subscriptionTypes }) => subscriptionTypes.list(),
  },
  'dataEvents.create': {
    ours: ({ dataEvents }) => dataEvents.create({ name: 'called-support', contactId: 'c1', at: 1_700_000_000 }),
    theirs: ({ events }) => events.create({ event_name: 'called-support', id: 'c1', created_at: 1_700_000_000 }),
  },
};

/** An answer has one list, or is a record. */
const answerOf = (operation: string): object => {
  if (operation === 'articles.search') return { data: { articles: [] } };
  if (operation === 'conversations.search') return { conversations: [] };
  if (operation === 'tickets.search') return { tickets: [] };
  return operation.endsWith('list') || operation === 'contacts.search' ? { data: [] } : { id: '1', name: 'x' };
};

test.each(Object.entries(pairs))('%s sends what intercom-client sends', async (operation, { ours, theirs }) => {
  await using server = await startRecordingServer();
  server.answer({ json: answerOf(operation) });
  const client = createMessagingClient({
    ...intercom(),
    adminId: '7',
    baseUrl: server.baseUrl,
    authenticate: bearer(() => 'token'),
  });

  await ours(client);
  await theirs(new IntercomClient({ token: 'token', baseUrl: server.baseUrl }));
  await client.close();

  const [sent, expected] = server.requests.map(({ line, body }) => ({ ...partsOf(line), body }));
  expect(sent).toEqual(expected);
});

/** Parameters of an address have no order. */
const partsOf = (line: string) => {
  const [method, address = ''] = line.split(' ');
  const { pathname, searchParams } = new URL(address, 'http://api.example');
  return { method, pathname, query: Object.fromEntries(searchParams) };
};
