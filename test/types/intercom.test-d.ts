import { expectTypeOf, test } from 'vitest';
import type { Credential } from '../../src/http/credential.ts';
import { createIntegration } from '../../src/integration.ts';
import {
  type Article,
  callAttributes,
  type Contact,
  type Conversation,
  createMessagingClient,
  type EnsuredContact,
  type FoundContact,
  type MessagingClient,
  type MessagingDialect,
  type RecordList,
  type Ticket,
} from '../../src/messaging/index.ts';
import {
  type GoneContact,
  goneContact,
  hasIntercomCode,
  intercom,
  type IntercomErrorCode,
} from '../../src/messaging/intercom/index.ts';

declare const authenticate: Credential;

test('the preset is spread into the options, and what is written behind it wins', () => {
  const client = createMessagingClient({ ...intercom({ region: 'eu' }), authenticate, adminId: '7', rateLimit: false });
  expectTypeOf(client).toEqualTypeOf<MessagingClient>();
  createIntegration({ messaging: { ...intercom({ version: '2.16' }), authenticate, adminId: '7' } });
});

test('custom attributes are declared with it', () => {
  const { contacts } = createMessagingClient({ ...intercom(), authenticate, customAttributes: callAttributes });
  type Attributes = NonNullable<NonNullable<Awaited<ReturnType<typeof contacts.get>>>['custom_attributes']>;
  expectTypeOf<Attributes['escalation_flag']>().toEqualTypeOf<boolean | null | undefined>();
});

test('a part of its dialect can be said otherwise', () => {
  const dialect: Partial<MessagingDialect> = { ...intercom().dialect, phoneFormats: (phone) => [phone] };
  createMessagingClient({ ...intercom(), authenticate, dialect });
  // @ts-expect-error: there is no such region
  intercom({ region: 'mars' });
});

test('what is found, made and paged through is typed', () => {
  const { contacts } = createMessagingClient({ ...intercom(), authenticate });
  expectTypeOf(contacts.find).returns.resolves.toEqualTypeOf<FoundContact | undefined>();
  expectTypeOf(contacts.findOrCreate).returns.resolves.toEqualTypeOf<EnsuredContact>();
  expectTypeOf(contacts.searchAll).returns.toEqualTypeOf<AsyncIterable<Contact>>();
  void contacts.search({ any: [{ field: 'role', operator: 'IN', value: ['lead'] }] });
  // @ts-expect-error: a condition needs its value
  void contacts.search({ any: [{ field: 'role', operator: '=' }] });
});

test('codes are checked when they are written down', () => {
  expectTypeOf(hasIntercomCode).parameters.toEqualTypeOf<[unknown, ...(readonly IntercomErrorCode[])]>();
  expectTypeOf(goneContact).returns.toEqualTypeOf<GoneContact | undefined>();
  // @ts-expect-error: Intercom has no such code
  hasIntercomCode(new Error('x'), 'conflicted');
});

test('tickets, articles and conversations are typed, and message_type is in no one’s hand', () => {
  const { tickets, articles, conversations, contacts } = createMessagingClient({ ...intercom(), authenticate });
  expectTypeOf(tickets.create).returns.resolves.toEqualTypeOf<Ticket>();
  expectTypeOf(tickets.get).returns.resolves.toEqualTypeOf<Ticket | undefined>();
  expectTypeOf(tickets.searchAll).returns.toEqualTypeOf<AsyncIterable<Ticket>>();
  expectTypeOf(articles.search).returns.resolves.toEqualTypeOf<RecordList<Article>>();
  expectTypeOf(conversations.listForContact).returns.resolves.toEqualTypeOf<RecordList<Conversation>>();
  // @ts-expect-error: the method decides whether the customer reads it
  void tickets.addNote('7', { body: 'x', message_type: 'comment' });
  // @ts-expect-error: a ticket is of a kind
  void tickets.create({ contactId: 'c1' });
  // @ts-expect-error: one of the two
  void contacts.subscriptions.attach('c1', { subscriptionTypeId: '1', consent: 'maybe' });
});
