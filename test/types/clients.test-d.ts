import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { type Customer, createBillingClient, type NewPayment, type Payment } from '../../src/billing/index.ts';
import { type CreatedRecord, createCrmClient, type LeadDisposition, leadDispositions } from '../../src/crm/index.ts';
import type { Credential } from '../../src/http/credential.ts';
import { toOperation } from '../../src/index.ts';
import {
  type ByAdmin,
  callAttributes,
  createMessagingClient,
  type Contact,
  type CustomAttributes,
  type MessagingClient,
  type MessagingDialect,
  type MessagingOptions,
  textToHtml,
} from '../../src/messaging/index.ts';

declare const authenticate: Credential;
const connection = { baseUrl: 'https://api.example.com', authenticate };
const workspace = { ...connection, platform: 'Acme', version: '2.11' };

test('custom attributes are open until they are declared', () => {
  const client = createMessagingClient(workspace);

  expectTypeOf(client).toEqualTypeOf<MessagingClient>();
  expectTypeOf(client.contacts.get).returns.resolves.toEqualTypeOf<Contact | undefined>();
  expectTypeOf<Contact['custom_attributes']>().toEqualTypeOf<CustomAttributes | undefined>();
});

test('a dialect of another package has methods as ours do', () => {
  const dialect: Partial<MessagingDialect> = {
    endpoints: { contacts: { update: { repeat: 'again' } }, tags: { create: { repeat: () => 'again' } } },
    methods: ({ http, endpoints, shareDeadline }) => ({
      conversations: {
        addNote: async (id, { body }, call) => {
          const note = {
            ...endpoints.conversations.addNote,
            path: 'tickets/{id}/notes',
            body: () => ({ html: textToHtml(body) }),
          };
          const values = [id, { body, adminId: '1' }];
          return http.request(toOperation('messaging.conversations.addNote', note, values), shareDeadline(call));
        },
      },
    }),
  };
  createMessagingClient({ ...workspace, dialect });
});

test('options of any workspace give a client of any workspace', () => {
  const make = (options: MessagingOptions): MessagingClient => createMessagingClient(options);
  expectTypeOf(make).returns.toEqualTypeOf<MessagingClient>();
});

test('declared custom attributes are typed by kind', () => {
  const client = createMessagingClient({
    ...workspace,
    customAttributes: { ...callAttributes, plan: ['free', 'pro'], seats: 'integer' },
  });

  type Attributes = NonNullable<NonNullable<Awaited<ReturnType<typeof client.contacts.get>>>['custom_attributes']>;
  expectTypeOf<Attributes['last_call_date']>().toEqualTypeOf<string | null | undefined>();
  expectTypeOf<Attributes['escalation_flag']>().toEqualTypeOf<boolean | null | undefined>();
  expectTypeOf<Attributes['plan']>().toEqualTypeOf<'free' | 'pro' | null | undefined>();
  expectTypeOf<Attributes['seats']>().toEqualTypeOf<number | null | undefined>();

  // @ts-expect-error: not declared
  void client.contacts.update('c1', { custom_attributes: { colour: 'red' } });
  // @ts-expect-error: not one of the choices
  void client.contacts.update('c1', { custom_attributes: { plan: 'gold' } });
});

test('a Standard Schema types custom attributes too', () => {
  const client = createMessagingClient({
    ...workspace,
    customAttributes: z.object({ plan: z.enum(['free', 'pro']).optional() }),
    companyAttributes: { health: 'text' },
  });

  type Attributes = NonNullable<NonNullable<Awaited<ReturnType<typeof client.contacts.get>>>['custom_attributes']>;
  expectTypeOf<Attributes['plan']>().toEqualTypeOf<'free' | 'pro' | undefined>();
  type OfCompany = NonNullable<NonNullable<Awaited<ReturnType<typeof client.companies.get>>>['custom_attributes']>;
  expectTypeOf<OfCompany['health']>().toEqualTypeOf<string | null | undefined>();
});

test('a client with declared attributes is a messaging client', () => {
  const client = createMessagingClient({ ...workspace, customAttributes: callAttributes });
  expectTypeOf(client).toExtend<MessagingClient>();
});

test('message_type is no argument of anything', () => {
  const { conversations } = createMessagingClient(workspace);
  expectTypeOf(conversations.addNote).parameter(1).toEqualTypeOf<{ readonly body: string } & ByAdmin>();

  // @ts-expect-error: whether the customer sees it is decided by the method
  void conversations.addNote('v1', { body: 'x', message_type: 'comment' });
  // @ts-expect-error: whether the customer sees it is decided by the method
  void conversations.reply('v1', { body: 'x', message_type: 'note' });
});

test('the version is required where it is a header', () => {
  expectTypeOf<keyof MessagingOptions>().extract<'version' | 'platform'>().toEqualTypeOf<'version' | 'platform'>();

  // @ts-expect-error: no version
  createMessagingClient({ ...connection, platform: 'Acme' });
  // @ts-expect-error: no platform
  createMessagingClient({ ...connection, version: '2.11' });
  // @ts-expect-error: no version
  createCrmClient(connection);
  createBillingClient({ ...connection, payments: { below: 100 } });
  createBillingClient({ ...connection, version: 'in-base-url' });
  // @ts-expect-error: a limit is a number
  createBillingClient({ ...connection, payments: { below: '100' } });
  // @ts-expect-error: the limit is missing
  createBillingClient({ ...connection, payments: {} });
});

test('a lead takes any field of the org, checks those it knows, and empties them with null', () => {
  const { leads } = createCrmClient({ ...connection, version: '60.0' });

  expectTypeOf(leads.create).returns.resolves.toEqualTypeOf<CreatedRecord>();
  void leads.create({ LastName: 'Lovelace', Lead_Score__c: 1, Region__c: 'EMEA' });
  // @ts-expect-error: a number
  void leads.create({ LastName: 'Lovelace', Lead_Score__c: '1' });
  void leads.update('00Q1', { Email: null, City: 'Turin', NumberOfEmployees: null });
  // @ts-expect-error: queries are written by the client
  void leads.search({ q: 'SELECT Id FROM Lead' });
  expectTypeOf(leadDispositions.nurture).toEqualTypeOf<'nurture'>();
  expectTypeOf<LeadDisposition>().toEqualTypeOf<'converted' | 'nurture' | 'disqualified'>();
});

test('billing answers are what they are', () => {
  const billing = createBillingClient({ ...connection, version: { path: 'v1' }, payments: { below: 100 } });

  expectTypeOf(billing.customers.find).returns.resolves.toEqualTypeOf<Customer | undefined>();
  expectTypeOf(billing.payments.create).parameter(0).toEqualTypeOf<NewPayment>();
  expectTypeOf(billing.payments.create).returns.resolves.toEqualTypeOf<Payment>();
  // @ts-expect-error: never a text
  void billing.payments.create({ customer_id: 'c', invoice_id: 'i', payment_method_id: 'p', amount: '10' });
});

test('clients can be closed by await using', () => {
  expectTypeOf(createMessagingClient).returns.toExtend<AsyncDisposable>();
  expectTypeOf(createCrmClient).returns.toExtend<AsyncDisposable>();
  expectTypeOf(createBillingClient).returns.toExtend<AsyncDisposable>();
});
