/** A caller asks about a stuck door; the agent reads the help center and opens a ticket: `npm run example platforms/help-desk`. */
import { bearer } from 'voice-agent-integrations/auth';
import { conversationText, createMessagingClient } from 'voice-agent-integrations/messaging';
import { intercom } from 'voice-agent-integrations/messaging/intercom';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';
import { createWebhookReceiver, hmac, hubSignature, messagingEvents, sign } from 'voice-agent-integrations/webhooks';

// With an account of your own, leave this out, and `baseUrl` below.
const platform = createFakePlatform({ messaging: 'intercom' });
const { messaging: workspace } = platform;
const contact = workspace.addContact({ name: 'Ada', role: 'user', phone: '+14155550100' });
workspace.addArticle({ title: 'Stuck doors', body: '<p>Push, then turn the handle <b>up</b>.</p>' });
workspace.addConversation({ contact_id: contact.id, body: '<p>The door was stuck on Monday too.</p>' });
workspace.addTicketType({ name: 'Repair', attributes: ['floor'] });
workspace.addAdmin({ id: '7', name: 'Grace', away_mode_enabled: true });
const team = workspace.addTeam({ name: 'Repairs', admin_ids: ['7'] });
const mails = workspace.addSubscriptionType({ name: 'Product news' });
const hours = workspace.addOfficeHours({ time_zone_name: 'America/New_York', twenty_four_seven: true });

const messaging = createMessagingClient({
  ...intercom(),
  baseUrl: (await platform.listen()).messaging,
  authenticate: bearer(() => testCredentials.messaging),
  adminId: 'admin_1',
});

const { data: articles } = await messaging.articles.search({ phrase: 'stuck door' });
console.log(`Help center: ${articles[0]?.body}`);

const { data: conversations } = await messaging.conversations.listForContact(contact.id);
const last = conversations[0] && (await messaging.conversations.get(conversations[0].id));
console.log(`Last time: ${last && conversationText(last)}`);

const isOpen = await messaging.officeHours.isOpen(hours.id);
const { data: members } = await messaging.teams.listMembers(team.id);
const someone = members.find(({ away_mode_enabled }) => !away_mode_enabled);
console.log(isOpen && someone ? `${someone.name} can take the call.` : 'No one can take the call: a ticket it is.');

const { data: types } = await messaging.tickets.types.list();
const ticket = await messaging.tickets.create({
  contactId: contact.id,
  ticketTypeId: types[0]?.id ?? '',
  title: 'The door is stuck again',
  attributes: { floor: 2 },
});
await messaging.tickets.addNote(ticket.id, { body: 'Sounded upset.' });
console.log(`Ticket ${ticket.ticket_id}: ${ticket.title}, ${ticket.ticket_state?.external_label}.`);

// What the team sees next to the ticket.
const tag = await messaging.tags.create({ name: 'called' });
const company = await messaging.companies.create({ company_id: 'acme', name: 'Acme' });
await messaging.contacts.tags.attach(contact.id, { tagId: tag.id });
await messaging.companies.attach(contact.id, { companyId: company.id });
await messaging.contacts.notes.create(contact.id, { body: 'Works nights: call after noon.' });
await messaging.dataEvents.create({ name: 'called-support', contactId: contact.id, metadata: { minutes: 3 } });

// What the caller doesn't want.
await messaging.contacts.subscriptions.attach(contact.id, { subscriptionTypeId: mails.id, consent: 'opt_out' });
const { data: tags } = await messaging.contacts.tags.list(contact.id);
const { data: subscriptions } = await messaging.contacts.subscriptions.list(contact.id);
console.log(`${contact.name} of ${company.name}: ${tags[0]?.name}; ${subscriptions.length} refusal.`);

// The earlier conversation comes back to a person, and sleeps until tomorrow.
if (last) {
  await messaging.conversations.reopen(last.id);
  await messaging.conversations.assignToAdmin(last.id, { toAdminId: '7' });
  await messaging.conversations.snooze(last.id, { until: Math.floor(Date.now() / 1000) + 86_400 });
  console.log(`Conversation ${last.id} is ${(await messaging.conversations.get(last.id))?.state}.`);
  await messaging.conversations.unassign(last.id);
}

// A lead that turns out to be Ada.
const lead = await messaging.contacts.create({ phone: '+14155550101' });
const merged = await messaging.contacts.merge({ fromId: lead.id, intoId: contact.id });
console.log(`${lead.id} is ${merged.id} now.`);

// What the team does later arrives as webhooks.
const webhookSecret = 'the client secret of the app';
const receive = createWebhookReceiver({
  ...messagingEvents(['ticket.replied', 'conversation.assigned', 'contact.tagged', 'contact.merged']),
  authentication: [hmac({ scheme: hubSignature, secrets: () => webhookSecret })],
  on: {
    'ticket.replied': async ({ payload: { ticket: replied, actor } }) =>
      console.log(`${actor?.type} answered ticket ${replied.id}: ${replied.parts?.at(-1)?.body}`),
    'conversation.assigned': async ({ payload }) => console.log(`${payload.conversation.id} was assigned`),
    'contact.tagged': async ({ payload }) => console.log(`${payload.contact.id} has the tag ${payload.tag.name}`),
    'contact.merged': async ({ payload }) => console.log(`${payload.contact.id} is left`),
  },
  store: createMemoryIdempotencyStore(),
});
const body = JSON.stringify({
  type: 'notification_event',
  id: 'notif_1',
  topic: 'ticket.admin.replied',
  created_at: Math.floor(Date.now() / 1000),
  data: {
    item: {
      ticket: { id: ticket.id },
      ticket_part: { id: 1, part_type: 'comment', body: '<p>We come at noon.</p>', author: { type: 'admin', id: '7' } },
    },
  },
});
const signature = await sign(body, { scheme: hubSignature, secrets: () => webhookSecret });
const headers = { ...signature, 'content-type': 'application/json' };
const { status } = await receive(new Request('http://agent/hook/messaging', { method: 'POST', headers, body }));
console.log(`The webhook was answered with ${status}.`);

await messaging.close();
await platform.close();
