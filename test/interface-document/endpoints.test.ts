import { expect, it } from 'vitest';
import { createIntegration, type Integration } from '../../src/integration.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { optionsAt } from './clients.ts';

const contact = { id: 'c1', phone: '+14155550100', email: 'ann@example.com', custom_attributes: { tier: 'gold' } };
const conversation = { id: 'v1' };
const lead = {
  FirstName: 'Ann',
  LastName: 'Lee',
  Company: 'Lee Ltd',
  Email: 'ann@example.com',
  Phone: '+14155550100',
  Title: 'CTO',
  NumberOfEmployees: 12,
  LeadSource: 'Phone Inquiry',
  Status: 'Qualified by agent',
  Use_Case__c: 'Support line',
  Expected_Close__c: '2026-03-31',
  Lead_Score__c: 80,
  Description: 'Asked for a quote. https://calls.example/CA1',
};
const task = {
  Subject: 'Inbound call: resolved',
  Status: 'Completed',
  ActivityDate: '2026-03-01',
  Description: 'Asked for a quote.',
  WhoId: '00Q1',
  WhatId: '0061',
  CallType: 'Inbound',
  CallDurationInSeconds: 311,
};
const payment = { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 120.5, payment_method_id: 'pm_1' };
const sobjects = '/services/data/v60.0/sobjects';

type Case = readonly [
  name: string,
  call: (integration: Integration) => Promise<unknown>,
  answer: unknown,
  request: { readonly line: string; readonly body?: unknown },
  result: unknown,
];

it.each<Case>([
  [
    'GET /contacts/{id} gives a contact',
    ({ messaging }) => messaging.contacts.get('c1'),
    contact,
    { line: 'GET /contacts/c1' },
    expect.objectContaining(contact),
  ],
  [
    'POST /contacts sends contact fields and gives the created contact',
    ({ messaging }) => messaging.contacts.create({ phone: '+14155550100', email: 'ann@example.com' }),
    contact,
    { line: 'POST /contacts', body: { phone: '+14155550100', email: 'ann@example.com' } },
    expect.objectContaining({ id: 'c1' }),
  ],
  [
    'PUT /contacts/{id} sends the fields to update and gives the updated contact',
    ({ messaging }) => messaging.contacts.update('c1', { custom_attributes: { tier: 'gold' } }),
    contact,
    { line: 'PUT /contacts/c1', body: { custom_attributes: { tier: 'gold' } } },
    expect.objectContaining(contact),
  ],
  [
    'POST /contacts/search asks for a phone with "=" and gives the matching contacts',
    ({ messaging }) => messaging.contacts.search({ field: 'phone', operator: '=', value: '+14155550100' }),
    [contact],
    { line: 'POST /contacts/search', body: { query: { field: 'phone', operator: '=', value: '+14155550100' } } },
    expect.objectContaining({ data: [expect.objectContaining(contact)] }),
  ],
  [
    'GET /conversations/{id} gives a conversation',
    ({ messaging }) => messaging.conversations.get('v1'),
    conversation,
    { line: 'GET /conversations/v1' },
    expect.objectContaining(conversation),
  ],
  [
    'POST /conversations starts one in the name of a contact and gives it',
    ({ messaging }) => messaging.conversations.create({ contactId: 'c1', body: 'Summary' }),
    conversation,
    { line: 'POST /conversations', body: { from: { type: 'contact', id: 'c1' }, body: 'Summary' } },
    expect.objectContaining(conversation),
  ],
  [
    'POST /conversations/{id}/reply sends a comment of an admin to the customer',
    ({ messaging }) => messaging.conversations.reply('v1', { body: 'Thank you.' }),
    conversation,
    {
      line: 'POST /conversations/v1/reply',
      body: { message_type: 'comment', type: 'admin', admin_id: 'admin_1', body: 'Thank you.' },
    },
    expect.objectContaining(conversation),
  ],
  [
    'POST /conversations/{id}/parts leaves an internal note of an admin',
    ({ messaging }) => messaging.conversations.addNote('v1', { body: 'Angry.' }),
    conversation,
    { line: 'POST /conversations/v1/parts', body: { message_type: 'note', body: 'Angry.', admin_id: 'admin_1' } },
    expect.objectContaining(conversation),
  ],
  [
    'POST /conversations/{id}/tags attaches a tag as an admin and gives it',
    ({ messaging }) => messaging.conversations.tags.attach('v1', { tagId: 't1' }),
    { id: 't1' },
    { line: 'POST /conversations/v1/tags', body: { id: 't1', admin_id: 'admin_1' } },
    expect.objectContaining({ id: 't1' }),
  ],
  [
    'POST sobjects/Lead/ sends all thirteen Lead fields and gives the created lead',
    ({ crm }) => crm.leads.create(lead),
    { id: '00Q1' },
    { line: `POST ${sobjects}/Lead/`, body: lead },
    { id: '00Q1' },
  ],
  [
    'POST sobjects/Lead/search sends a query and a limit of one row, and gives the matching ids',
    ({ crm }) => crm.leads.search({ email: 'ann@example.com', phone: '+14155550100' }),
    [{ Id: '00Q1' }],
    {
      line: `POST ${sobjects}/Lead/search`,
      body: { q: expect.stringMatching(/^SELECT Id.* FROM Lead WHERE /), limit: 1 },
    },
    expect.objectContaining({ data: [{ Id: '00Q1' }] }),
  ],
  [
    'POST sobjects/Task/ sends all eight Task fields and gives the created task',
    ({ crm }) => crm.tasks.create(task),
    { id: '00T1' },
    { line: `POST ${sobjects}/Task/`, body: task },
    { id: '00T1' },
  ],
  [
    'GET /customers/{id} gives a customer',
    ({ billing }) => billing.customers.get('cus_1'),
    { id: 'cus_1', name: 'Ann' },
    { line: 'GET /v1/customers/cus_1' },
    expect.objectContaining({ id: 'cus_1', name: 'Ann' }),
  ],
  [
    'GET /customers/search asks by phone and e-mail and gives a customer',
    ({ billing }) => billing.customers.find({ phone: '+14155550100', email: 'ann@example.com' }),
    { id: 'cus_1', name: 'Ann' },
    { line: 'GET /v1/customers/search?phone=%2B14155550100&email=ann%40example.com' },
    expect.objectContaining({ id: 'cus_1', name: 'Ann' }),
  ],
  [
    'GET /customers/search gives nothing when the customer is absent',
    ({ billing }) => billing.customers.find({ phone: '+14155550100' }),
    {},
    { line: 'GET /v1/customers/search?phone=%2B14155550100' },
    undefined,
  ],
  [
    'GET /invoices asks for the open ones of a customer and gives a list',
    ({ billing }) => billing.invoices.listOpen('cus_1'),
    [{ id: 'inv_1', amount: 120.5, due_date: '2026-02-01', customer_id: 'cus_1' }],
    { line: 'GET /v1/invoices?customer_id=cus_1&status=open' },
    expect.objectContaining({
      data: [expect.objectContaining({ id: 'inv_1', amount: 120.5, due_date: '2026-02-01', customer_id: 'cus_1' })],
    }),
  ],
  [
    'POST /payments sends five fields and gives status, confirmation number and error message',
    ({ billing }) => billing.payments.create(payment, { idempotencyKey: 'k1' }),
    { status: 'completed', confirmation_number: 'C-1', error_message: null },
    { line: 'POST /v1/payments', body: { ...payment, idempotency_key: 'k1' } },
    expect.objectContaining({ status: 'completed', confirmation_number: 'C-1' }),
  ],
])('%s', async (_name, call, answer, { line, body }, result) => {
  await using server = await startRecordingServer();
  server.answer({ json: answer });
  await using integration = createIntegration(optionsAt(server.baseUrl));

  const given = await call(integration);

  expect(server.requests.map((request) => [request.line, request.body])).toEqual([[line, body]]);
  expect(given).toEqual(result);
});
